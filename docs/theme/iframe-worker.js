// Browsers start no worker for a page from a disk. There, the search runs in a hidden frame instead.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      this.inner = frame.contentWindow;
      this.inner.postMessage = data => this.dispatchEvent(new MessageEvent("message", { data }));
      this.inner.importScripts = async (...urls) => {
        for (const one of urls) await this.load(one);
      };
      this.loaded = this.load(url);
    }
    load(url) {
      return new Promise((resolve, reject) => {
        const script = this.inner.document.createElement("script");
        script.onload = resolve;
        script.onerror = reject;
        script.src = url;
        this.inner.document.body.append(script);
      });
    }
    postMessage(data) {
      const { inner } = this;
      this.loaded.then(() => inner.dispatchEvent(new inner.MessageEvent("message", { data })));
    }
    terminate() {
      this.inner.frameElement.remove();
    }
  };
}
