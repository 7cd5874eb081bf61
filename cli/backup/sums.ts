/** SHA256SUMS: a line for each file of a backup, in the format of `sha256sum`. */
import { type FileHandle, open } from 'node:fs/promises'
import { CommandError } from '#kernel'

const linePattern = /^([0-9a-f]{64}) {2}([^/].*)$/

export class SumsWriter implements AsyncDisposable {
  readonly #file: FileHandle
  #end = 0

  static async create(path: string): Promise<SumsWriter> {
    return new SumsWriter(await open(path, 'wx', 0o600))
  }

  private constructor(file: FileHandle) {
    this.#file = file
  }

  async add(path: string, sha256: string): Promise<void> {
    const line = Buffer.from(`${sha256}  ${path}\n`)
    await this.#file.write(line, 0, line.length, this.#end)
    this.#end += line.length
  }

  async restart(): Promise<void> {
    await this.#file.truncate(0)
    this.#end = 0
  }

  sync(): Promise<void> {
    return this.#file.sync()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.close()
  }
}

export interface Sum {
  readonly path: string
  readonly sha256: string
}

/** Paths that leave the directory are refused: the file may have been changed. */
async function* readSums(path: string): AsyncGenerator<Sum> {
  await using file = await open(path)
  for await (const line of file.readLines()) {
    const [, sha256, name] = linePattern.exec(line) ?? []
    if (sha256 === undefined || name === undefined || name.split('/').includes('..'))
      throw new CommandError(`${path} is damaged: it has the line "${line}"`)
    yield { path: name, sha256 }
  }
}

const pageSums = 200

export async function* pagesOfSums(path: string): AsyncGenerator<readonly Sum[]> {
  let page: Sum[] = []
  for await (const sum of readSums(path)) {
    page.push(sum)
    if (page.length < pageSums) continue
    yield page
    page = []
  }
  if (page.length > 0) yield page
}
