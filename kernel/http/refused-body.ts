import type { IncomingMessage, ServerResponse } from 'node:http'

/** Bytes of a body that are still read after the answer, so that a client that sends first and reads later sees it. */
const drainBytesMax = 1_048_576

/** Ends the connection when a client goes on sending a body after it was answered; without this Node would read all of it. */
export function limitDrain(request: IncomingMessage, response: ServerResponse): void {
  // Before Node ends the answer: it discards bodies that nobody reads by then, unseen.
  response.once('prefinish', () => {
    if (request.complete || request.destroyed) return
    let bytes = 0
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > drainBytesMax) cut(request, response)
    })
    request.resume()
  })
}

function cut(request: IncomingMessage, response: ServerResponse): void {
  if (response.writableFinished) {
    request.socket.destroy()
    return
  }
  // The answer leaves first.
  request.pause()
  response.once('finish', () => request.socket.destroy())
}
