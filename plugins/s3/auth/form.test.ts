import { Busboy } from '@fastify/busboy'
import fc from 'fast-check'
import { expect, onTestFinished, test, vi } from 'vitest'
import { encodeForm } from '../testing/upload-form.ts'
import { openForm } from './form.ts'

/** Pieces of the lengths, which repeat. */
async function* pieces(bytes: Buffer, lengths: readonly number[]): AsyncGenerator<Buffer> {
  for (let start = 0, at = 0; start < bytes.length; at += 1) {
    const length = lengths[at % lengths.length] ?? bytes.length
    yield bytes.subarray(start, start + length)
    start += length
  }
}

interface Sent {
  readonly body: Buffer
  readonly headers: { readonly 'content-type': string }
}

async function read({ body, headers }: Sent, lengths: readonly number[] = [body.length]) {
  await using form = await openForm(pieces(body, lengths), headers['content-type'])
  return { values: [...form.values], fileName: form.fileName, file: Buffer.concat(await Array.fromAsync(form.bytes)) }
}

test('fields before the file have lower-case names, and those after it are ignored', async () => {
  const form = encodeForm(
    [
      ['KEY', 'ü'],
      ['empty', ''],
    ],
    { name: 'C:\\fotos\\ü 1.jpg', bytes: 'bytes' },
    [['submit', 'Upload']],
  )
  expect(await read(form)).toEqual({
    values: [
      ['key', 'ü'],
      ['empty', ''],
    ],
    fileName: 'ü 1.jpg',
    file: Buffer.from('bytes'),
  })
})

test('the file arrives as it was sent, however the network cuts the form', async () => {
  // Bytes of delimiters that are none.
  const piece = fc.constantFrom('\r', '\n', '\r\n', '-', '--', '\r\n--svc', '\r\n--svc--boundar', 'x', '\0')
  await fc.assert(
    fc.asyncProperty(
      fc.array(piece, { maxLength: 40 }),
      fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 5 }),
      async (parts, cuts) => {
        const bytes = Buffer.from(parts.join(''))
        const form = encodeForm([['key', 'k']], { bytes })
        const { file, values } = await read(form, cuts)
        expect(file.equals(bytes)).toBe(true)
        expect(values).toEqual([['key', 'k']])
      },
    ),
    { numRuns: 200 },
  )
})

test('a form that ends early is refused at every byte, and changes of a byte never leave it unanswered', async () => {
  const form = encodeForm([['key', 'k']], { bytes: 'bytes' }, [['submit', 'Upload']])
  const code = async (body: Buffer, cuts: readonly number[]) =>
    await read({ ...form, body }, cuts).then(
      () => 'read',
      (error) => error.code,
    )
  const end = form.body.lastIndexOf('--\r\n') + 2
  for (let length = 0; length < end; length += 1) {
    expect(await code(form.body.subarray(0, length), [length % 7 === 0 ? 1 : 1000])).toBe('MalformedPOSTRequest')
  }
  await fc.assert(
    fc.asyncProperty(fc.nat({ max: form.body.length - 1 }), fc.nat({ max: 255 }), async (at, byte) => {
      const body = Buffer.from(form.body)
      body[at] = byte
      expect(['read', 'MalformedPOSTRequest', 'InvalidArgument']).toContain(await code(body, [64]))
    }),
    { numRuns: 200 },
  )
})

const filePart = '--b\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\nabc\r\n'
const readChunks = async (chunks: readonly string[]) => {
  async function* wire() {
    for (const chunk of chunks) yield Buffer.from(chunk)
  }
  await using form = await openForm(wire(), 'multipart/form-data; boundary=b')
  return Buffer.concat(await Array.fromAsync(form.bytes)).toString()
}

test('a delimiter after the last one leaves no form unanswered', async () => {
  await expect(readChunks(['--b--\r\n--bx'])).rejects.toMatchObject({ code: 'InvalidArgument', extras: { ArgumentName: 'file' } })
  expect(await readChunks([`${filePart}--b`, '--\r\n--bx'])).toBe('abc')
})

test('forms of any delimiters are read or refused, however the network cuts them', async () => {
  const piece = fc.constantFrom(
    filePart,
    '--b',
    '--',
    '\r\n',
    '--b--\r\n',
    '\r\n--bx',
    '-',
    'x',
    'Content-Disposition: form-data; name="key"',
  )
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(piece, { maxLength: 4 }), { maxLength: 6 }), async (chunks) => {
      const end = await readChunks(chunks.map((pieces) => pieces.join(''))).then(
        () => 'read',
        (error) => error.code,
      )
      expect(['read', 'MalformedPOSTRequest', 'InvalidArgument']).toContain(end)
    }),
    { numRuns: 300 },
  )
})

const manyFields = Array.from({ length: 201 }, (_, at) => [`f${at}`, ''] as const)

test.each([
  ['more than 200 fields', manyFields, 'MaxPostPreDataLengthExceededError'],
  ['a long name', [['n'.repeat(257), '']] as const, 'MaxPostPreDataLengthExceededError'],
  ['a long value', [['key', 'v'.repeat(65 * 1024)]] as const, 'MaxPostPreDataLengthExceededError'],
  [
    'values that are long together',
    manyFields.slice(0, 100).map(([name]) => [name, 'v'.repeat(1000)] as const),
    'MaxPostPreDataLengthExceededError',
  ],
  [
    'a field twice',
    [
      ['key', 'a'],
      ['KEY', 'b'],
    ] as const,
    'InvalidArgument',
  ],
  ['a field without a name', [['', 'a']] as const, 'MalformedPOSTRequest'],
])('a form with %s is refused', async (_name, fields, code) => {
  const form = encodeForm(fields, { bytes: 'bytes' })
  for (const cuts of [[1000], [form.body.length]]) {
    const refusal = await read(form, cuts).then(
      () => undefined,
      (error) => error,
    )
    expect(refusal).toMatchObject({ code, status: 400 })
  }
})

test('a form of parts without fields is refused after a small piece of it', async () => {
  const write = vi.spyOn(Busboy.prototype, 'write')
  onTestFinished(() => write.mockRestore())
  const code = 'MaxPostPreDataLengthExceededError'
  await expect(readChunks(['--b\r\n\r\n\r\n'.repeat(6000)])).rejects.toMatchObject({ code })
  expect(write.mock.calls.map(([bytes]) => (bytes as Buffer).length)).toEqual([4096])
})

test('many fields after the file are ignored', async () => {
  const after = Array.from({ length: 300 }, (_, at) => [`f${at}`, 'x'] as const)
  expect(await read(encodeForm([['key', 'k']], { bytes: 'bytes' }, after))).toMatchObject({
    values: [['key', 'k']],
    file: Buffer.from('bytes'),
  })
})

test('a form without a file, without a boundary, or with much after the file is refused', async () => {
  await expect(read(encodeForm([['key', 'k']], undefined))).rejects.toMatchObject({
    code: 'InvalidArgument',
    extras: { ArgumentName: 'file' },
  })
  await expect(read({ ...encodeForm([], { bytes: '' }), headers: { 'content-type': 'multipart/form-data' } })).rejects.toMatchObject({
    code: 'MalformedPOSTRequest',
  })
  await expect(read(encodeForm([], { bytes: 'x' }, [['rest', 'r'.repeat(70_000)]]), [1000])).rejects.toMatchObject({
    code: 'MalformedPOSTRequest',
  })
})

test('the form is read only as fast as its file, and no longer after it is closed', async () => {
  let sent = 0
  let isStopped = false
  async function* endless(): AsyncGenerator<Buffer> {
    try {
      yield Buffer.from('--b\r\nContent-Disposition: form-data; name="file"\r\n\r\n')
      for (;;) {
        sent += 1
        yield Buffer.alloc(1000)
      }
    } finally {
      isStopped = true
    }
  }
  const form = await openForm(endless(), 'multipart/form-data; boundary=b')
  const bytes = form.bytes[Symbol.asyncIterator]()
  for (let at = 0; at < 10; at += 1) await bytes.next()
  expect(sent).toBeLessThan(15)
  await form[Symbol.asyncDispose]()
  expect(isStopped).toBe(true)
})
