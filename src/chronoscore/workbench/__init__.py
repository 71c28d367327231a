"""The workbench: judge events in the browser, blind to each other, and see how far all agree."""
