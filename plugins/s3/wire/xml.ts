const s3Namespace = 'http://s3.amazonaws.com/doc/2006-03-01/'
const declaration = '<?xml version="1.0" encoding="UTF-8"?>\n'

const namedEntities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Replacements by character code. XML 1.0 forbids control characters; S3 writes them as references anyway. */
const entities: readonly (string | undefined)[] = Array.from({ length: 0x3f }, (_, code) => {
  const character = String.fromCharCode(code)
  if (character === '\t' || character === '\n') return undefined
  return namedEntities[character] ?? (code < 0x20 ? `&#x${code.toString(16)};` : undefined)
})

export function escapeXml(text: string): string {
  // Joined at the end: a concatenation for each entity takes ten times the memory until its string is read.
  const pieces: string[] = []
  let copiedTo = 0
  for (let index = 0; index < text.length; index += 1) {
    const entity = entities[text.charCodeAt(index)]
    if (entity === undefined) continue
    pieces.push(text.slice(copiedTo, index), entity)
    copiedTo = index + 1
  }
  return copiedTo === 0 ? text : pieces.join('') + text.slice(copiedTo)
}

export function element(name: string, text: string | number | boolean): string {
  return `<${name}>${typeof text === 'string' ? escapeXml(text) : text}</${name}>`
}

export function optionalElement(name: string, text: string | number | undefined): string {
  return text === undefined ? '' : element(name, text)
}

/** `content`: XML. */
export function xmlDocument(root: string, content: string): string {
  return `${declaration}<${root} xmlns="${s3Namespace}">${content}</${root}>`
}

/** Writes as `xmlDocument`; errors are the only documents without a namespace. */
export function plainXmlDocument(root: string, content: string): string {
  return `${declaration}<${root}>${content}</${root}>`
}
