/** One HTTP exchange over a plain socket, for requests that client libraries do not send. */
import { connect } from 'node:net'

export interface RawAnswer {
  /** True when the server sent 100 Continue first. */
  readonly wasContinued: boolean
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
  /** S3 error code of the body, or empty. */
  readonly code: string
}

const answerMsMax = 10_000

/** Resolves with the final response; rejects when the server closes without one or exceeds the timeout. */
export function exchangeRaw(port: number, pieces: readonly (string | Buffer)[]): Promise<RawAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<RawAnswer>()
  const socket = connect(port, '127.0.0.1')
  const timer = setTimeout(() => socket.destroy(new Error(`no answer within ${answerMsMax} ms`)), answerMsMax)
  let received = ''
  const settle = () => {
    const answer = parseAnswer(received)
    if (answer !== undefined) resolve(answer)
    return answer !== undefined
  }
  socket.setEncoding('latin1')
  socket.on('data', (text: string) => {
    received += text
    if (settle()) socket.destroy()
  })
  // A server that rejects early may reset the connection while the request is still being sent.
  socket.on('error', (error) => settle() || reject(error))
  socket.on('close', () => {
    clearTimeout(timer)
    if (!settle()) reject(new Error(`the server closed after: ${received}`))
  })
  for (const piece of pieces) if (piece.length > 0) socket.write(piece)
  return promise
}

function parseAnswer(text: string): RawAnswer | undefined {
  const continued = 'HTTP/1.1 100 Continue\r\n\r\n'
  const wasContinued = text.startsWith(continued)
  const answer = wasContinued ? text.slice(continued.length) : text
  const headEnd = answer.indexOf('\r\n\r\n')
  if (headEnd < 0) return undefined
  const [statusLine = '', ...lines] = answer.slice(0, headEnd).split('\r\n')
  const headers = new Map(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()] as const),
  )
  const body = answer.slice(headEnd + 4)
  if (body.length < Number(headers.get('content-length') ?? 0)) return undefined
  return {
    wasContinued,
    status: Number(statusLine.split(' ')[1]),
    headers,
    body,
    code: /<Code>(\w+)<\/Code>/.exec(body)?.[1] ?? '',
  }
}
