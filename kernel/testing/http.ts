import { connect } from 'node:net'

/** The value of an Authorization header. */
export function basicAuth(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
}

const rawAnswerMs = 10_000

/** Sends raw bytes and resolves with the whole answer when the server closes the connection. For invalid requests. */
export function sendRaw(url: string, bytes: string | Uint8Array): Promise<string> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    let answer = ''
    const socket = connect(Number(port), hostname, () => socket.write(bytes))
    socket.setEncoding('latin1')
    socket.setTimeout(rawAnswerMs, () => socket.destroy(new Error(`no answer within ${rawAnswerMs} ms; so far: ${answer}`)))
    socket.on('data', (text: string) => {
      answer += text
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(answer))
  })
}
