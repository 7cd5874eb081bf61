/** Headers of a downloaded object. Stored values cannot change any other part of the answer. */

/** Browsers save the bytes; content that is opened anyway runs no script and loads nothing. */
const sandbox = "sandbox; default-src 'none'"

interface DownloadedObject {
  readonly key: string
  readonly contentType: string
  readonly size: number
  readonly etag: string
}

export function downloadHeaders({ key, contentType, size, etag }: DownloadedObject): Readonly<Record<string, string>> {
  return {
    'content-type': isHeaderText(contentType) ? contentType : 'application/octet-stream',
    'content-length': String(size),
    'content-disposition': contentDisposition(key),
    'content-security-policy': sandbox,
    etag: `"${etag}"`,
  }
}

/** `attachment` with the last part of the key as the file name, in both forms of RFC 6266 unless it is plain ASCII. */
export function contentDisposition(key: string): string {
  const name = key.toWellFormed().split('/').at(-1) || 'download'
  const plain = name.replaceAll(/[^ -~]|["\\%]/gu, '_')
  return plain === name ? `attachment; filename="${name}"` : `attachment; filename="${plain}"; filename*=UTF-8''${encodeName(name)}`
}

/** RFC 8187: also escapes the characters that encodeURIComponent keeps and the grammar forbids. */
const encodeName = (name: string): string =>
  encodeURIComponent(name).replaceAll(/['()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)

const isHeaderText = (text: string): boolean => /^[\t -~\u0080-\u00ff]+$/.test(text)
