import { expect, test } from 'vitest'
import { createScreen, find } from '../testing/dom.ts'
import { Field } from './field.tsx'
import { TextInput } from './text-input.tsx'

test('a control is named by its label and described by help, error and lock', async () => {
  const { screen, render } = await createScreen()
  await render(
    <Field label="Size" help="In GiB." error="Too large." lockedReason="Set by SVC_CACHE.">
      <TextInput value="9" />
    </Field>,
  )
  const input = find(screen, 'input')
  const described = (input.getAttribute('aria-describedby') ?? '').split(' ').map((id) => screen.querySelector(`[id="${id}"]`)?.textContent)
  expect(find(screen, 'label').getAttribute('for')).toBe(input.getAttribute('id'))
  expect(described).toEqual(['In GiB.', 'Too large.', 'Set by SVC_CACHE.'])
  expect([input.getAttribute('aria-invalid'), input.hasAttribute('disabled')]).toEqual(['true', true])
})
