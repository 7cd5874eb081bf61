import { clock } from '#kernel'
import { defineOverviewPart } from '#plugins/admin'
import { resolutions } from './range-policy.ts'
import { recorder } from './recorder.ts'

/** Five minutes. */
const steps = 15

/** Mean rates of the S3 API over the last minutes; nothing before the first measurement. */
export const trafficPart = defineOverviewPart({
  name: 'traffic',
  into: 'traffic',
  uses: { recorder, clock },
  summarise({ recorder, clock }) {
    const last = Math.floor(clock.now() / resolutions.fine.stepMs)
    const rateOf = (name: string): number | null => {
      const measured = recorder.history.ring('fine').read(name, last - steps, steps)
      const rate = measured && recorder.figures.shown.get(name)?.read(measured.sums, measured.coveredMs)
      return rate === undefined || rate === null ? null : Math.round(rate)
    }
    return { received_bytes_per_second: rateOf('bytes_in'), sent_bytes_per_second: rateOf('bytes_out') }
  },
})
