import { expect, test } from 'vitest'
import { filterCommands } from './palette-policy.ts'

const commands = [
  { label: 'Show tasks', keywords: 'queue' },
  { label: 'Tasks', to: '/tasks' },
  { label: 'Theme: dark', keywords: 'appearance' },
]
const found = (text: string) => filterCommands(commands, text).map(({ label }) => label)

test('every word must be in the label or the keywords, in any case', () => {
  expect(found('QUE show')).toEqual(['Show tasks'])
  expect(found('theme appear')).toEqual(['Theme: dark'])
  expect(found('theme queue')).toEqual([])
})

test('labels that start with the text come first, and no text finds everything', () => {
  expect(found('tasks')).toEqual(['Tasks', 'Show tasks'])
  expect(found(' ')).toEqual(commands.map(({ label }) => label))
})
