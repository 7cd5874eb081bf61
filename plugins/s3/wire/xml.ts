import { SaxesParser } from 'saxes'
import { S3Error } from './s3-error.ts'

const s3Namespace = 'http://s3.amazonaws.com/doc/2006-03-01/'
const declaration = '<?xml version="1.0" encoding="UTF-8"?>\n'
const depthMax = 16

const namedEntities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Replacements by character code. XML 1.0 forbids control characters; S3 writes them as references anyway. */
const entities: readonly (string | undefined)[] = Array.from({ length: 0x3f }, (_, code) => {
  const character = String.fromCharCode(code)
  if (character === '\t' || character === '\n') return undefined
  return namedEntities[character] ?? (code < 0x20 ? `&#x${code.toString(16)};` : undefined)
})

export function escapeXml(text: string): string {
  let escaped = ''
  let copiedTo = 0
  for (let index = 0; index < text.length; index += 1) {
    const entity = entities[text.charCodeAt(index)]
    if (entity === undefined) continue
    escaped += text.slice(copiedTo, index) + entity
    copiedTo = index + 1
  }
  return copiedTo === 0 ? text : escaped + text.slice(copiedTo)
}

export function element(name: string, text: string | number | boolean): string {
  return `<${name}>${typeof text === 'string' ? escapeXml(text) : text}</${name}>`
}

/** Empty when `text` is undefined. */
export function optionalElement(name: string, text: string | number | undefined): string {
  return text === undefined ? '' : element(name, text)
}

/** `content`: XML. */
export function xmlDocument(root: string, content: string): string {
  return `${declaration}<${root} xmlns="${s3Namespace}">${content}</${root}>`
}

interface ErrorPlace {
  readonly resource: string
  readonly requestId: string
  readonly hostId: string
}

/** Unlike all other documents of S3, errors have no namespace. */
export function errorDocument(error: S3Error, place: ErrorPlace): string {
  const extras = Object.entries(error.extras).map(([name, value]) => element(name, value))
  return `${declaration}<Error>${element('Code', error.code)}${element('Message', error.message)}${extras.join('')}${element(
    'Resource',
    place.resource,
  )}${element('RequestId', place.requestId)}${element('HostId', place.hostId)}</Error>`
}

interface XmlElement {
  /** Local name, without its prefix. */
  readonly name: string
  readonly text: string
  readonly children: readonly XmlElement[]
}

interface OpenElement {
  name: string
  text: string
  children: OpenElement[]
}

/** Throws MalformedXML when the document is not well-formed or not UTF-8, is too deep, or has a document type. */
export function parseXml(bytes: Uint8Array): XmlElement {
  try {
    return readElements(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (cause) {
    throw new S3Error('MalformedXML', { cause })
  }
}

function readElements(text: string): XmlElement {
  const parser = new SaxesParser({ xmlns: true, position: false })
  const open: OpenElement[] = []
  let root: OpenElement | undefined
  parser.on('error', (error) => {
    throw error
  })
  parser.on('doctype', () => {
    throw new Error('a document type is not allowed')
  })
  parser.on('opentag', (tag) => {
    if (open.length >= depthMax) throw new Error(`elements are nested deeper than ${depthMax}`)
    const child: OpenElement = { name: tag.local, text: '', children: [] }
    open.at(-1)?.children.push(child)
    root ??= child
    open.push(child)
  })
  const appendText = (part: string) => {
    const current = open.at(-1)
    if (current !== undefined) current.text += part
  }
  parser.on('text', appendText)
  parser.on('cdata', appendText)
  parser.on('closetag', () => {
    open.pop()
  })
  parser.write(text).close()
  if (root === undefined) throw new Error('the document has no element')
  return root
}

/** Text of the first child with this name, or undefined. */
export function childText(parent: XmlElement, name: string): string | undefined {
  return parent.children.find((child) => child.name === name)?.text
}
