import { component$ } from '@builder.io/qwik'
import { expect, test } from 'vitest'
import { createScreen, find } from '../kit/testing/dom.ts'
import { ApiError } from './api-error.ts'
import { useAction$ } from './use-action.ts'

const Form = component$<{ status: number }>(({ status }) => {
  const act = useAction$(async () => {
    throw new ApiError('refused', { status })
  })
  return (
    <button type="button" onClick$={() => act.run()}>
      {act.error?.message ?? 'no error'}
    </button>
  )
})

test.each([
  [409, 'refused'],
  // The shell asks for the password, and the form stays as it was.
  [401, 'no error'],
])('after a refusal with the status %i a form shows: %s', async (status, shown) => {
  const { screen, render, userEvent } = await createScreen()
  await render(<Form status={status} />)
  await userEvent('button', 'click')
  expect(find(screen, 'button').textContent).toBe(shown)
})
