/** Reads XML documents of clients strictly: no document type, so no entities other than the predefined ones, and within limits. */
import { type SaxesParser as Parser, SaxesParser } from 'saxes'
import { S3Error } from './s3-error.ts'

export const xmlBytesMax = 8 * 1024 * 1024
const depthMax = 16
/** Above the elements of the largest document, a CompleteMultipartUpload of 10,000 parts. */
const elementsMax = 100_000
/** Most attributes of one element. Clients send a namespace or two, and a type. */
const attributesMax = 8

export interface XmlElement {
  /** Local name. The namespace is ignored: clients write none, that of S3, or an old one. */
  readonly name: string
  readonly text: string
  readonly children: readonly XmlElement[]
}

interface OpenElement {
  readonly name: string
  text: string
  readonly children: OpenElement[]
}

/** Throws MalformedXML when the document is not well-formed or not UTF-8, is too large or too deep, has too many elements or attributes, or has a document type. */
export function parseXml(bytes: Uint8Array): XmlElement {
  try {
    if (bytes.length > xmlBytesMax) throw new Error(`the document has more than ${xmlBytesMax} bytes`)
    return readElements(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (cause) {
    throw new S3Error('MalformedXML', { cause })
  }
}

function readElements(text: string): XmlElement {
  const parser = new SaxesParser({ xmlns: true, position: false })
  parser.on('error', (error) => {
    throw error
  })
  parser.on('doctype', () => {
    throw new Error('a document type is not allowed')
  })
  const rootOf = collectElements(parser)
  parser.write(text).close()
  const root = rootOf()
  if (root === undefined) throw new Error('the document has no element')
  return root
}

function collectElements(parser: Parser<{ xmlns: true; position: false }>): () => XmlElement | undefined {
  const open: OpenElement[] = []
  let root: OpenElement | undefined
  let count = 0
  let attributes = 0
  parser.on('opentagstart', () => {
    attributes = 0
  })
  parser.on('attribute', () => {
    attributes += 1
    if (attributes > attributesMax) throw new Error(`an element has more than ${attributesMax} attributes`)
  })
  parser.on('opentag', (tag) => {
    count += 1
    if (count > elementsMax) throw new Error(`the document has more than ${elementsMax} elements`)
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
  return () => root
}

export function childrenOf(parent: XmlElement, name: string): readonly XmlElement[] {
  return parent.children.filter((child) => child.name === name)
}

export function childText(parent: XmlElement, name: string): string | undefined {
  return parent.children.find((child) => child.name === name)?.text
}

/** Throws MalformedXML without the child. */
export function requireText(parent: XmlElement, name: string): string {
  const text = childText(parent, name)
  if (text === undefined) throw malformed(`The element ${parent.name} has no ${name}.`)
  return text
}

/** Text of an XML boolean. Throws MalformedXML for another one; false without the child. */
export function childFlag(parent: XmlElement, name: string): boolean {
  const text = childText(parent, name)?.trim().toLowerCase()
  if (text === undefined || text === 'false') return false
  if (text === 'true') return true
  throw malformed(`The element ${name} must be true or false.`)
}

/** Throws MalformedXML without the child, or when it is not a whole number. */
export function requireInteger(parent: XmlElement, name: string): number {
  const text = requireText(parent, name).trim()
  if (!/^\d{1,15}$/.test(text)) throw malformed(`The element ${name} must be a whole number.`)
  return Number(text)
}

/** Milliseconds UTC. Throws MalformedXML without the child, or when it is not a time. */
export function requireTime(parent: XmlElement, name: string): number {
  const timeMs = Date.parse(requireText(parent, name))
  if (Number.isNaN(timeMs)) throw malformed(`The element ${name} must be a time.`)
  return timeMs
}

/** Returns undefined without the child. Throws MalformedXML when it is not a whole number. */
export function optionalInteger(parent: XmlElement, name: string): number | undefined {
  return childText(parent, name) === undefined ? undefined : requireInteger(parent, name)
}

/** Milliseconds UTC; undefined without the child. Throws MalformedXML when it is not a time. */
export function optionalTime(parent: XmlElement, name: string): number | undefined {
  return childText(parent, name) === undefined ? undefined : requireTime(parent, name)
}

export function malformed(message: string): S3Error {
  return new S3Error('MalformedXML', { message })
}
