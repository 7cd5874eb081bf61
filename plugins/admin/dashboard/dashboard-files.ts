import { createHash } from 'node:crypto'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

export interface ServedPage {
  readonly status: 200 | 503
  readonly etag: string
  readonly bodies: Readonly<Record<'br' | 'gzip' | 'identity', Buffer | undefined>>
}

/** `index.html` of the built dashboard, in memory; read again when a build replaced it. */
export class DashboardFiles {
  readonly folder: string
  #page: ServedPage | undefined
  #madeAtMs = Number.NaN

  constructor(folder: string) {
    this.folder = folder
  }

  page(): ServedPage {
    const path = join(this.folder, 'index.html')
    const madeAtMs = statSync(path, { throwIfNoEntry: false })?.mtimeMs
    if (madeAtMs === undefined) return notBuilt
    if (!this.#page || this.#madeAtMs !== madeAtMs) {
      this.#page = readPage(path)
      this.#madeAtMs = madeAtMs
    }
    return this.#page
  }
}

const readPage = (path: string): ServedPage =>
  toPage(200, readFileSync(path), { br: readIfExists(`${path}.br`), gzip: readIfExists(`${path}.gz`) })

const readIfExists = (path: string): Buffer | undefined => (existsSync(path) ? readFileSync(path) : undefined)

const toPage = (
  status: ServedPage['status'],
  identity: Buffer,
  more: { readonly br?: Buffer | undefined; readonly gzip?: Buffer | undefined } = {},
): ServedPage => ({
  status,
  etag: `"${createHash('sha256').update(identity).digest('base64url').slice(0, 22)}"`,
  bodies: { br: more.br, gzip: more.gzip, identity },
})

const notBuilt = toPage(
  503,
  Buffer.from(`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>svc</title>
<h1>The dashboard is not built</h1>
<p>Run <code>npm run build:ui</code> in the folder of svc; <code>npm start</code> does it by itself. This page shows the dashboard as soon as it is built.</p>
<p>The Admin API and the S3 API work without it.</p>
`),
)
