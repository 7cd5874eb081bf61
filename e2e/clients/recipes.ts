/** The recipes of docs/guide/s3-clients.md: the commands that the drivers run. */
import type { Client } from './client.ts'
import { clients } from './clients.ts'

export const guidePath = 'docs/guide/s3-clients.md'

/** Returns the page with every recipe replaced by the commands of its driver. Throws when one has no place in the page. */
export const renewRecipes = (page: string): string =>
  clients.reduce((text, client) => {
    const [start, end] = [`<!-- recipe: ${client.name} -->\n`, `<!-- end of ${client.name} -->\n`]
    const [before, rest = ''] = text.split(start)
    const [, after] = rest.split(end)
    if (after === undefined) throw new Error(`${guidePath} has no place for the recipe of ${client.name}: add ${start}${end}`)
    return `${before}${start}${writeRecipe(client)}${end}${after}`
  }, page)

function writeRecipe({ name: client, language, settings, steps, notOffered = {}, isVariant }: Client): string {
  if (isVariant) return fenced(language.fence, settings)
  const comment = ['sh', 'python'].includes(language.fence) ? '#' : '//'
  const commands = steps.map(({ name, commands: own }) => `${comment} ${name}\n${own}`).join('\n')
  const missing = Object.entries(notOffered).map(([name, reason]) => `- *${name}*: ${client} ${reason}.\n`)
  return `${[settings, commands].map((text) => fenced(language.fence, text)).join('\n')}${missing.length > 0 ? `\nWithout a command:\n\n${missing.join('')}` : ''}`
}

const fenced = (name: string, text: string): string => `\`\`\`${name}\n${text}\n\`\`\`\n`
