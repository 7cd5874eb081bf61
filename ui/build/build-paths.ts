import { fileURLToPath } from 'node:url'

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url))

export const uiFolder = path('..')
/** What the Admin listener serves. */
export const distFolder = path('../dist')
/** Stands beside the served folder, so that a rename publishes a finished build. */
export const draftFolder = path('../dist-draft')
export const lockPath = path('../../node_modules/.cache/svc-ui/lock')
/** Written last: a folder with it is a finished build. */
export const stampName = 'build.json'
export const indexName = 'index.html'
/** Names the svc that built a folder of `--out`, and the SHA-256 of its files. */
export const listName = 'files.json'
