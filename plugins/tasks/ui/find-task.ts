import { type definePluginUi, hrefOf } from '@svc/ui-kit'
import { readPaletteId } from './palette-policy.ts'

type Found = Awaited<ReturnType<NonNullable<Parameters<typeof definePluginUi>[0]['search']>>>

/** The task that a number names, for the command palette. */
export async function findTask(text: string): Promise<Found> {
  const id = readPaletteId(text)
  return id === undefined ? [] : [{ label: `Task ${id}`, keywords: 'task', icon: 'list-checks', to: hrefOf('/tasks', {}, { task: id }) }]
}
