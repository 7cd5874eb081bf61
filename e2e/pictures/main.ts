/** `npm run pictures -- [name...]`: takes the pictures of docs/guide/dashboard/ from a gateway on a devnet, in about six minutes. */
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { testOperator } from '#kernel/testing'
import { buildDashboard } from '../ui/fixtures/browser.ts'
import { listPictures, type Picture } from './pictures.ts'
import { type Story, tellStory } from './story.ts'
import { takePicture } from './take-picture.ts'

const folder = fileURLToPath(new URL('../../docs/guide/dashboard/', import.meta.url))
const say = (line: string) => void process.stdout.write(`${line}\n`)
const { positionals } = parseArgs({ allowPositionals: true })

await main()
// The browser would keep the process.
process.exit()

async function main(): Promise<void> {
  mkdirSync(folder, { recursive: true })
  await buildDashboard()
  await using story = await tellStory(say)
  const { id, provider_id: provider } = await story.dataSet('backups', 2)
  const all = listPictures({ replaced: id, provider })
  const unknown = positionals.filter((name) => !all.some((picture) => picture.name === name))
  if (unknown.length > 0) throw new Error(`no picture is called ${unknown.join(' or ')}: ${all.map(({ name }) => name).join(', ')}`)
  for (const picture of all.filter(({ name }) => positionals.length === 0 || positionals.includes(name))) {
    await take(story, picture)
  }
}

async function take({ gateway }: Story, picture: Picture): Promise<void> {
  const bytes = await takePicture({ base_url: gateway.adminUrl, admin: testOperator }, picture, `${folder}${picture.name}.webp`)
  say(`${picture.name}.webp: ${(bytes / 1024).toFixed(1)} KiB`)
}
