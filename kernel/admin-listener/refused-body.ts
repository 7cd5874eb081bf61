import type { IncomingMessage, ServerResponse } from 'node:http'
import { adminLimits } from './admin-limits.ts'

/** Closes the connection when a client keeps sending a body after the answer; Node would read all of it. */
export function limitDrain(request: IncomingMessage, response: ServerResponse): void {
  // Before Node ends the answer, because it then discards unread bodies without a limit.
  response.once('prefinish', () => {
    if (request.complete || request.destroyed) return
    let bytes = 0
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > adminLimits.adminDroppedBytesMax) cut(request, response)
    })
    request.resume()
  })
}

function cut(request: IncomingMessage, response: ServerResponse): void {
  if (response.writableFinished) {
    request.socket.destroy()
    return
  }
  // Flush the answer first.
  request.pause()
  response.once('finish', () => request.socket.destroy())
}
