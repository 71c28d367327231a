// On a page whose numbers are being made: look again.
setTimeout(() => location.reload(), 1500);
