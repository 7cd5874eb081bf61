/** Where the checks run: in this process while svc is stopped, or in the running gateway. */
import { CommandError } from '#kernel'
import { createLog, isDataInUse, openDoctor, prepareKernel } from '#kernel/host'
import type { Doctor } from '#kernel/system'
import { applyFix, listChecks, runCheck } from '../../plugins/admin/api.ts'
import { builtinPlugins } from '../../plugins/index.ts'
import { type AdminCall, openAdminClient } from '../client/admin-client.ts'
import { findPlace } from '../command-settings.ts'
import { refuseUnusable } from '../unusable-config.ts'

/** It is not known whether something is damaged. */
const exitUnknown = 4

export type SourceCall<F = unknown> = AdminCall<unknown, F & { online: boolean }>

export interface DoctorSource extends AsyncDisposable {
  readonly isOnline: boolean
  checks(): Promise<ReturnType<Doctor['checks']>>
  readonly look: Doctor['look']
  readonly fix: Doctor['fix']
}

export const openSource = (call: SourceCall, options: { readonly isFixing: boolean }): Promise<DoctorSource> =>
  call.flags.online ? openOnline(call) : openOffline(call, options.isFixing)

async function openOnline(call: SourceCall): Promise<DoctorSource> {
  const client = await openAdminClient(call)
  return {
    isOnline: true,
    checks: () => unknownIfRefused(client.call(listChecks)),
    async look(name, { after, sample }) {
      const body = { ...(after !== undefined && { after }), ...(sample !== undefined && { sample }) }
      const { is_cut: isCut, ...page } = await client.call(runCheck, { params: { name }, body })
      return { ...page, ...(isCut && { isCut }) }
    },
    fix: async (name, target) => (await client.call(applyFix, { params: { name }, body: { target } })).changed,
    async [Symbol.asyncDispose]() {},
  }
}

async function unknownIfRefused<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (cause) {
    if (cause instanceof CommandError && cause.exitCode === 1) throw unknown(cause.message, cause)
    throw cause
  }
}

async function openOffline(call: SourceCall, isFixing: boolean): Promise<DoctorSource> {
  const prepared = await prepareKernel({ plugins: builtinPlugins, ...findPlace(call), env: call.env }).catch((cause) => {
    throw unknown((cause as Error).message, cause)
  })
  try {
    refuseUnusable(prepared, call)
    // The findings and the outcomes of fixes say what a log would.
    const log = createLog({ level: 'error', format: 'text', secrets: prepared.secrets, write() {} })
    const doctor = await openDoctor(prepared, { isFixing, log })
    return {
      isOnline: false,
      checks: async () => doctor.checks(),
      look: doctor.look,
      fix: doctor.fix,
      [Symbol.asyncDispose]: () => doctor[Symbol.asyncDispose](),
    }
  } catch (cause) {
    const { message } = cause as Error
    throw unknown((await isDataInUse(cause)) ? `${message}, or run svc doctor --online` : message, cause)
  }
}

const unknown = (message: string, cause: unknown): CommandError => new CommandError(message, { exitCode: exitUnknown, cause })
