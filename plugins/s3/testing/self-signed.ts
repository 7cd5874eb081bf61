/** A self-signed certificate for 127.0.0.1, made per test so that the repository contains no private key. */
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'

/** PEM texts. Valid for one day. */
export function createSelfSigned(nowMs: number): { readonly cert: string; readonly key: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const name = sequence(set(sequence(commonName, der(0x0c, Buffer.from('localhost')))))
  const validity = sequence(time(nowMs - 3_600_000), time(nowMs + 86_400_000))
  const alternativeNames = sequence(der(0x87, Buffer.from([127, 0, 0, 1])), der(0x82, Buffer.from('localhost')))
  const extensions = der(0xa3, sequence(sequence(subjectAltName, der(0x04, alternativeNames))))
  const serial = der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)]))
  const version = der(0xa0, der(0x02, Buffer.from([2])))
  const spki = publicKey.export({ type: 'spki', format: 'der' })
  const content = sequence(version, serial, sequence(ecdsaWithSha256), name, validity, name, spki, extensions)
  const signature = der(0x03, Buffer.concat([Buffer.from([0]), sign('sha256', content, privateKey)]))
  const certificate = sequence(content, sequence(ecdsaWithSha256), signature)
  const lines = certificate.toString('base64').replace(/.{64}/g, '$&\n')
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}

const commonName = Buffer.from('0603550403', 'hex')
const subjectAltName = Buffer.from('0603551d11', 'hex')
const ecdsaWithSha256 = Buffer.from('06082a8648ce3d040302', 'hex')

function der(tag: number, ...contents: readonly Buffer[]): Buffer {
  const content = Buffer.concat(contents)
  const length = content.length < 0x80 ? [content.length] : [0x82, content.length >> 8, content.length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...length]), content])
}

const sequence = (...contents: readonly Buffer[]) => der(0x30, ...contents)
const set = (...contents: readonly Buffer[]) => der(0x31, ...contents)

function time(ms: number): Buffer {
  const text = new Date(ms).toISOString().replace(/[-:T]|\.\d+/g, '')
  return der(0x17, Buffer.from(text.slice(2)))
}
