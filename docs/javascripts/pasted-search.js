/* People paste JSON, paths and command lines into the search box. The search reads some of their characters as
   operators: "-p" excludes the letter p, quotes demand every word. Here the operators become blanks on their way
   to the search worker; what the reader typed stays as it is. A message of type 2 is a query. */
(() => {
  const send = Worker.prototype.postMessage
  Worker.prototype.postMessage = function (message, ...rest) {
    if (message && message.type === 2 && typeof message.data === "string") {
      const words = message.data.replace(/["'{}()[\]:*+~^]|(^|\s)-+/g, " ").trim()
      message = { ...message, data: words }
    }
    return send.call(this, message, ...rest)
  }
})()
