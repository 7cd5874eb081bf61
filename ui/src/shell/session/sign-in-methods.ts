import type { Signal } from '@builder.io/qwik'
import { ApiError } from '../../data/api-error.ts'
import { call } from '../../data/call.ts'
import type { Answer } from '../../data/endpoints.ts'

export type Methods = Answer<'GET /auth/methods'>

export const passwordAlone: Methods = { second_factor: false, external: [] }

export async function readMethods(methods: Signal<Methods>): Promise<void> {
  try {
    methods.value = await call('GET /auth/methods')
  } catch (error) {
    // The password is always a way; the sign-in itself says what else is wrong.
    if (!(error instanceof ApiError)) throw error
  }
}
