import { $, component$, useSignal } from '@builder.io/qwik'
import { expect, test } from 'vitest'
import { ErrorAlert } from './error-alert.tsx'
import { createScreen } from './testing/dom.ts'

test('an error is announced with a button that asks again, and nothing is shown without one', async () => {
  const Request = component$(() => {
    const error = useSignal<{ readonly message: string } | undefined>({ message: 'The service is restarting.' })
    return (
      <ErrorAlert
        error={error.value}
        title="Not read"
        onRetry$={$(() => {
          error.value = undefined
        })}
      />
    )
  })
  const { screen, render, userEvent } = await createScreen()
  await render(<Request />)
  expect(screen.querySelector('[role=alert]')?.textContent).toContain('The service is restarting.')
  await userEvent('button', 'click')
  expect(screen.querySelector('[role=alert]')).toBeFalsy()
})

test('without an action to repeat there is no button', async () => {
  const { screen, render } = await createScreen()
  await render(<ErrorAlert error={{ message: 'Refused.' }} />)
  expect([screen.querySelector('[role=alert]')?.textContent, screen.querySelector('button')]).toEqual(['Refused.', undefined])
})
