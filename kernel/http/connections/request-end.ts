import type { IncomingMessage } from 'node:http'

/** A member of Node's request that its types omit: the request asks for another protocol. */
type UpgradableRequest = IncomingMessage & { readonly upgrade?: boolean | null }

/** Whether the body has another coding than `chunked`: its bytes are encoded, and a proxy could end it at another place. */
export const hasOtherCoding = ({ headers }: IncomingMessage): boolean => {
  const coding = headers['transfer-encoding']
  return coding !== undefined && coding.toLowerCase() !== 'chunked'
}

/** Whether what follows the request may be something else than a request: another protocol, or bytes of its body. */
export const hasUncertainEnd = (request: UpgradableRequest): boolean =>
  request.upgrade === true ||
  hasOtherCoding(request) ||
  (request.httpVersion === '1.0' && request.headers['transfer-encoding'] !== undefined)
