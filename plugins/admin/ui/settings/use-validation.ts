import { useTask$ } from '@builder.io/qwik'
import { ApiError, call } from '@svc/ui-kit'
import { listChanges, type Settings, toBody } from './draft-policy.ts'
import type { SettingsForm } from './settings-form.ts'
import { toErrors } from './tabs-policy.ts'

const pauseMs = 300

/** Lets the service check the draft shortly after the last letter. An answer about an earlier draft is dropped. */
export function useValidation(query: { readonly data: Settings | undefined }, form: SettingsForm): void {
  useTask$(({ track, cleanup }) => {
    const drafts = track(() => form.drafts)
    const settings = track(() => query.data)
    if (!settings) return
    const changes = listChanges(settings, drafts)
    if (changes.length === 0) {
      form.checked = undefined
      return
    }
    const abort = new AbortController()
    const timer = setTimeout(() => void validate(toBody(changes), form, abort.signal), pauseMs)
    cleanup(() => {
      clearTimeout(timer)
      abort.abort()
    })
  })
}

async function validate(body: Record<string, unknown>, form: SettingsForm, signal: AbortSignal): Promise<void> {
  try {
    const { validation_errors } = await call('POST /settings/validate', { body }, { signal })
    if (!signal.aborted) form.checked = toErrors(validation_errors)
  } catch (error) {
    if (signal.aborted) return
    if (!(error instanceof ApiError)) throw error
    // The earlier marks stay without an answer; saving checks again.
    if (error.fields.length > 0) form.checked = toErrors(error.fields)
  }
}
