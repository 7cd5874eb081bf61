/** Words and tones of the decisions of the automatic repair. Pure. */
import type { Answer, Tone } from '@svc/ui-kit'

export type Repair = Answer<'GET /storage-repairs'>['repairs'][number]

export const actionLabels: Readonly<Record<Repair['action'], string>> = {
  replaced: 'Repaired',
  refused: 'Not repaired',
  left_alone: 'Left alone',
  loss: 'Loss',
}

export const actionTones: Readonly<Record<Repair['action'], Tone>> = {
  replaced: 'info',
  refused: 'warning',
  left_alone: 'neutral',
  loss: 'danger',
}

export const signalTexts: Readonly<Record<Repair['signal'], string>> = {
  data_set_lost: 'The chain does not have the data set',
  service_ended: 'The service was ended by someone else',
  proving_missed: 'The data set misses its proofs',
  provider_down: 'The provider does not answer',
  copies_denied: 'The provider denies many pieces',
}

const cursorDigits = /^[1-9]\d{0,15}$/

/** Returns undefined for a cursor that the API would refuse, as of a link that was changed by hand. */
export const readCursor = (text: string): string | undefined =>
  cursorDigits.test(text) && Number.isSafeInteger(Number(text)) ? text : undefined
