// On a page whose numbers are being computed: look again.
setTimeout(() => location.reload(), 1500);
