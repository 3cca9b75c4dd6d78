// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// The theme searches in a worker, and browsers start none for a page that was opened as a file. There the worker's
// script runs in a hidden frame of the page instead. (The theme would load a script of this name from another host.)
if (location.protocol === 'file:') {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement('iframe');
      frame.hidden = true;
      document.body.append(frame);
      this.inside = frame.contentWindow;
      this.inside.postMessage = (data) => this.dispatchEvent(new MessageEvent('message', {data}));
      this.loaded = new Promise((done) => {
        const script = frame.contentDocument.createElement('script');
        script.src = url;
        script.onload = done;
        frame.contentDocument.body.append(script);
      });
    }
    postMessage(data) {
      this.loaded.then(() => this.inside.dispatchEvent(new MessageEvent('message', {data})));
    }
  };
}
