/* The worker that runs Python: one job at a time, started again after it has died. */

export class Toolkit {
  constructor(files) {
    this.files = files;
    const code = new Blob([files["pyodide.js"], files["worker.js"]], { type: "text/javascript" });
    this.address = URL.createObjectURL(code);
  }

  started() {
    return this.worker ? Promise.resolve() : this.ask("start", { files: this.files });
  }

  ask(job, data) {
    return new Promise((resolve, reject) => {
      if (job === "start") {
        this.worker = new Worker(this.address);
        this.worker.onmessage = ({ data: answered }) => this.answered(answered);
        this.worker.onerror = (event) => this.end(`Python ended: ${event.message ?? "it could not be started"}. The next log starts it again.`);
      } else if (!this.worker) {
        reject(new Error("Python has ended. Open the log again."));
        return;
      }
      this.job = { resolve, reject };
      this.worker.postMessage({ job, ...data });
    });
  }

  answered({ answer, failed, ended }) {
    const { resolve, reject } = this.job;
    if (failed === undefined) resolve(answer);
    else if (ended) this.end(`Python ended on this log, which it could not read: ${failed}. The next log starts it again.`);
    else reject(new Error(`The toolkit failed on this log: ${failed}. This is a defect; the log may be too large, or unlike any seen so far.`));
  }

  // Ends Python whatever it is doing; the next log starts it again.
  end(why) {
    this.worker?.terminate();
    this.worker = null;
    this.job?.reject(new Error(why));
  }
}
