/** Reads a browser's upload form (multipart/form-data): the fields into memory, the file as a stream. */
import { Busboy, type BusboyInstance } from '@fastify/busboy'
import type { Headers } from '../wire/headers.ts'
import { invalidArgument, S3Error } from '../wire/s3-error.ts'

/** Limit of the form before the bytes of its file, with the headers of the parts. S3 allows 20 KiB. */
export const fieldBytesMax = 64 * 1024
const fieldsMax = 200
/** Parsed between two looks at the limits: a part without a field takes few bytes. */
const fieldPieceBytes = 4096
const fieldNameLengthMax = 256
/** Limit of the fields after the file, which are ignored. */
const restBytesMax = 64 * 1024

export interface FormFields {
  /** Values by lower-case name. */
  readonly values: ReadonlyMap<string, string>
  /** Name of the file at the client, without its folders; empty when the client sent none. */
  readonly fileName: string
}

export interface UploadForm extends FormFields, AsyncDisposable {
  /** The bytes of the file. May be read once. Ends after the rest of the form was read. */
  readonly bytes: AsyncIterable<Buffer>
}

export const isForm = (headers: Headers): boolean => headers.get('content-type')?.toLowerCase().startsWith('multipart/form-data') === true

/**
 * Reads the fields, up to the file. Disposing stops reading. Throws MalformedPOSTRequest, MaxPostPreDataLengthExceededError, or
 * InvalidArgument without a file or for a field that is sent twice.
 */
export async function openForm(wire: AsyncIterable<Buffer>, contentType: string): Promise<UploadForm> {
  const form = new FormReader(wire, contentType)
  try {
    await form.readFields()
  } catch (error) {
    await form.close()
    throw error
  }
  const { values, fileName } = form
  return { values, fileName, bytes: form.readFile(), [Symbol.asyncDispose]: () => form.close() }
}

class FormReader {
  readonly values = new Map<string, string>()
  fileName = ''
  readonly #wire: AsyncIterator<Buffer>
  readonly #parser: BusboyInstance
  readonly #pieces: Buffer[] = []
  readonly #ended = Promise.withResolvers<void>()
  #state: 'fields' | 'file' | 'rest' = 'fields'
  #failure: Error | undefined

  constructor(wire: AsyncIterable<Buffer>, contentType: string) {
    this.#wire = wire[Symbol.asyncIterator]()
    this.#parser = newParser(contentType)
    // Listens from the start: the parser may finish before the last bytes were sent.
    this.#parser.once('finish', this.#ended.resolve)
    this.#parser.on('error', (cause) => {
      this.#fail(malformed({ cause }))
      this.#ended.resolve()
    })
    this.#parser.once('partsLimit', () => {
      if (this.#state === 'fields') this.#fail(tooManyFields())
    })
    this.#parser.on('field', (name: string | undefined, value) => {
      if (this.#state === 'fields') this.#addField(name, value)
    })
    this.#parser.on('file', (_name, file, fileName: string | undefined) => {
      this.#state = 'file'
      this.fileName = fileName ?? ''
      file.on('data', (bytes: Buffer) => this.#pieces.push(bytes))
      file.on('end', () => {
        this.#state = 'rest'
      })
      file.on('error', (cause: unknown) => this.#fail(malformed({ cause })))
    })
  }

  async readFields(): Promise<void> {
    let size = 0
    while (this.#state === 'fields') {
      const bytes = await this.#next()
      if (bytes === undefined) throw invalidArgument('file', '', 'POST requires exactly one file upload per request.')
      for (let rest = bytes; rest.length > 0; ) {
        const room = this.#state === 'fields' ? Math.min(fieldPieceBytes, fieldBytesMax - size) : rest.length
        if (room === 0) throw tooManyFields()
        const piece = rest.subarray(0, room)
        await this.#parse(piece)
        size += piece.length
        rest = rest.subarray(piece.length)
      }
    }
  }

  async *readFile(): AsyncGenerator<Buffer, void> {
    let restBytes = 0
    for (;;) {
      yield* this.#pieces.splice(0)
      const bytes = await this.#next()
      if (bytes === undefined) break
      if (this.#state === 'rest') restBytes += bytes.length
      if (restBytes > restBytesMax) throw malformed({ reason: 'It has too many fields after the file.' })
      await this.#parse(bytes)
    }
    yield* this.#pieces.splice(0)
  }

  async close(): Promise<void> {
    await this.#wire.return?.()
    this.#parser.destroy()
  }

  /** The next bytes of the form; undefined when it ended as it should. */
  async #next(): Promise<Buffer | undefined> {
    const next = await this.#wire.next()
    if (!next.done) return next.value
    await this.#finish()
    return undefined
  }

  /** Resolves when the parser took the bytes: those of the file are then in `#pieces`. */
  async #parse(bytes: Buffer): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.#parser.write(bytes, (error) => (error ? reject(malformed({ cause: error })) : resolve()))
    await promise
    this.#throwFailure()
  }

  /** The parser reports a missing end only after its `finish`, so wait for either. */
  async #finish(): Promise<void> {
    this.#parser.end()
    await this.#ended.promise
    this.#throwFailure()
  }

  #addField(sentName: string | undefined, value: string): void {
    const name = sentName?.toLowerCase() ?? ''
    if (name === '') this.#fail(malformed({ reason: 'A field has no name.' }))
    else if (name.length > fieldNameLengthMax || this.values.size === fieldsMax) this.#fail(tooManyFields())
    else if (this.values.has(name)) this.#fail(invalidArgument(name, value, `The form has more than one field ${name}.`))
    else this.values.set(name, value)
  }

  /** The parser would catch or drop what its listeners throw. */
  #fail(error: Error): void {
    this.#failure ??= error
  }

  #throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure
  }
}

function newParser(contentType: string): BusboyInstance {
  try {
    return new Busboy({
      headers: { 'content-type': contentType },
      // The file is the field of this name; some clients send file names with other fields too.
      isPartAFile: (name) => name?.toLowerCase() === 'file',
      limits: { fieldSize: fieldBytesMax, headerSize: fieldBytesMax, files: 1, parts: fieldsMax + 1 },
    })
  } catch (cause) {
    throw malformed({ cause, reason: 'Its Content-Type names no boundary.' })
  }
}

const malformed = ({ reason, cause }: { readonly reason?: string; readonly cause?: unknown }): S3Error =>
  new S3Error('MalformedPOSTRequest', {
    ...(reason !== undefined && { message: `The body of your POST request is not well-formed multipart/form-data. ${reason}` }),
    cause,
    closesConnection: true,
  })

const tooManyFields = (): S3Error =>
  new S3Error('MaxPostPreDataLengthExceededError', {
    message: `The fields before the file are too large: at most ${fieldsMax} fields of together ${fieldBytesMax} bytes, with names of at most ${fieldNameLengthMax} characters.`,
    closesConnection: true,
  })
