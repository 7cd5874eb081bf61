import { formatTime } from '#kernel'
import type { UploadSpeedTest } from './speed-test-api.ts'
import type { SpeedTest } from './speed-test-store.ts'

/** Bytes of one test. */
export const sampleBytes = 32 * 1024 * 1024

/** Tells that the process stopped during the test. */
export const interrupted = 'interrupted'

/** The figures are shown only for the URL that the provider has now. */
export function describeSpeedTest(
  test: SpeedTest,
  { serviceUrl, isTesting }: { readonly serviceUrl: string | null; readonly isTesting: boolean },
): UploadSpeedTest {
  const { state, bytesPerSecond, durationMs, testedAtMs } = test
  if (state === 'testing' && isTesting) return { state, sample_bytes: sampleBytes }
  const isStale = testedAtMs !== null && (serviceUrl === null || serviceUrl !== test.serviceUrl)
  const figures = {
    sample_bytes: sampleBytes,
    ...(durationMs === null || isStale ? {} : { duration_ms: durationMs }),
    ...(bytesPerSecond === null || isStale ? {} : { bytes_per_second: bytesPerSecond }),
    ...(testedAtMs === null ? {} : { tested_at: formatTime(testedAtMs) }),
  }
  if (state === 'succeeded') return { state: isStale ? 'stale' : state, ...figures }
  return { state: 'failed', ...figures, failure_code: test.failureCode ?? interrupted }
}
