import { createHash } from 'node:crypto'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { chooseDashboard } from '#kernel/system'

export interface ServedPage {
  readonly status: 200 | 503
  readonly etag: string
  readonly bodies: Readonly<Record<'br' | 'gzip' | 'identity', Buffer | undefined>>
}

interface DashboardPlaces {
  readonly builtIn: string
  /** A build with further pages, which is served instead while it is whole and of this svc. */
  own(): string
  /** Is told once why the own build is not served. */
  onRefusal(problem: string): void
  /** Replaces `chooseDashboard`, for tests. */
  readonly choose?: typeof chooseDashboard
}

/** Comparisons of one request. */
const readsMax = 3

/** The served build, with its `index.html` in memory; both are looked at again when a build replaced them. */
export class DashboardFiles {
  readonly #places: DashboardPlaces
  #folder: string
  #ownMark: string | undefined
  #page: ServedPage | undefined
  #pageMark: string | undefined

  constructor(places: DashboardPlaces) {
    this.#places = places
    this.#folder = places.builtIn
  }

  /** Compares the own build with its list of files only when its folder or its list changed. */
  get folder(): string {
    const { builtIn, onRefusal, choose = chooseDashboard } = this.#places
    const own = this.#places.own()
    for (let reads = 1; markOfBuild(own) !== this.#ownMark; reads += 1) {
      this.#ownMark = markOfBuild(own)
      const { folder, problem } = choose(builtIn, own)
      this.#folder = folder
      // A build that replaced the folder during the comparison is compared again.
      if (markOfBuild(own) !== this.#ownMark && reads < readsMax) continue
      if (problem !== undefined) onRefusal(problem)
      break
    }
    return this.#folder
  }

  page(): ServedPage {
    const path = join(this.folder, 'index.html')
    const mark = markOf(path)
    if (mark === absent) return notBuilt
    if (!this.#page || this.#pageMark !== `${path} ${mark}`) {
      this.#page = readPage(path)
      this.#pageMark = `${path} ${mark}`
    }
    return this.#page
  }
}

const absent = 'absent'

function markOf(path: string): string {
  const about = statSync(path, { throwIfNoEntry: false })
  return about === undefined ? absent : `${about.ino} ${about.mtimeMs}`
}

const markOfBuild = (own: string): string => [own, join(own, 'files.json'), join(own, 'index.html')].map(markOf).join()

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
