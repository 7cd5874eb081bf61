import { $, component$, useSignal } from '@builder.io/qwik'
import { afterEach, expect, test } from 'vitest'
import { session } from '../../../../ui/src/data/session.ts'
import { createScreen, find, textsOf } from '../../../../ui/src/kit/testing/dom.ts'
import { BulkButton } from './bulk-button.tsx'

const Bar = component$(() => {
  const asked = useSignal('nothing')
  const ask = $((what: string) => {
    asked.value = what
  })
  return (
    <>
      <BulkButton icon="archive-restore" onClick$={$(() => ask('restore'))}>
        Restore
      </BulkButton>
      <BulkButton icon="trash" danger onClick$={$(() => ask('delete'))}>
        Delete
      </BulkButton>
      <output>{asked.value}</output>
    </>
  )
})

const signInAs = (refused: readonly string[]) => {
  session.value = {
    username: 'alice',
    csrf_token: 'token',
    expires_at: '2030-01-01T00:00:00Z',
    refresh_after: '2030-01-01T00:00:00Z',
    role: refused.length > 0 ? 'read-only' : 'operator',
    refused: [...refused],
  }
}

afterEach(() => {
  session.value = undefined
})

test('the buttons of a selection ask for their action', async () => {
  signInAs([])
  const { screen, render, userEvent } = await createScreen()
  await render(<Bar />)
  expect(textsOf(screen, 'button')).toEqual(['Restore', 'Delete'])
  await userEvent('button:last-of-type', 'click')
  expect(find(screen, 'output').textContent).toBe('delete')
})

test('the buttons of a selection are not shown to a role that may not start bulk actions', async () => {
  signInAs(['POST /api/v1/buckets/:name/bulk-actions'])
  const { screen, render } = await createScreen()
  await render(<Bar />)
  expect(textsOf(screen, 'button')).toEqual([])
})
