/** Words and figures of the latest speed test of a provider. Pure. */
import { type Answer, formatBytes, formatDuration, type Tone } from '@svc/ui-kit'

export type Provider = Answer<'GET /observability/providers'>['items'][number]
export type SpeedTest = NonNullable<Provider['upload_speed_test']>

/** Bytes of one test, as the API documents it. */
export const sampleBytes = 32 * 1024 * 1024

export const testWords: Readonly<Record<SpeedTest['state'], string>> = {
  testing: 'Running',
  succeeded: 'Measured',
  failed: 'Failed',
  stale: 'Out of date',
}

export const testTones: Readonly<Record<SpeedTest['state'], Tone>> = {
  testing: 'info',
  succeeded: 'success',
  failed: 'danger',
  stale: 'warning',
}

/** The rate of a success that still holds; a failed test keeps that of the test before. */
export const rateText = ({ state, bytes_per_second }: SpeedTest): string | undefined =>
  bytes_per_second === undefined || state === 'stale' ? undefined : `${formatBytes(bytes_per_second)}/s`

/** `32.0 MiB in 4s` */
export const sampleText = ({ sample_bytes, duration_ms }: SpeedTest): string | undefined =>
  duration_ms === undefined ? undefined : `${formatBytes(sample_bytes)} in ${formatDuration(duration_ms / 1000)}`

const failures: Readonly<Record<string, string>> = {
  interrupted: 'The service stopped during the test.',
  timeout: 'The provider did not take the bytes in time.',
  unreachable: 'The provider could not be reached.',
  plugin_disabled: 'The plugin providers is disabled.',
}

export const failureText = (code: string | undefined): string =>
  code === undefined
    ? 'The reason was not recorded.'
    : (failures[code] ?? `The provider did not take the bytes: ${code.replaceAll('_', ' ')}.`)

/** Why a test is not offered, with the rules of the service; undefined while it is. The service decides again. */
export function lockedReason({ facts, signal, upload_speed_test: test }: Provider): string | undefined {
  if (test?.state === 'testing') return 'A test of this provider runs.'
  if (signal.status !== 'available') return 'Only an available provider is tested.'
  if (signal.freshness.stale) return 'The last check is too old: refresh the providers first.'
  return facts.service_url === undefined ? 'The provider has no service URL.' : undefined
}
