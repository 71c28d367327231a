"""What families share: text, dates, clusters, assignment, XML, TimeML, embedding."""
