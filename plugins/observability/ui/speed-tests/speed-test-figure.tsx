import { Badge } from '@svc/ui-kit'
import { rateText, type SpeedTest, testTones, testWords } from './describe-speed-test.ts'

/** The latest test in a row of a list. One that does not hold any more has no figure. */
export const SpeedTestFigure = ({ test }: { test: SpeedTest | undefined }) => {
  if (!test) return <span class="text-muted">—</span>
  if (test.state === 'succeeded') return <span>{rateText(test)}</span>
  return <Badge tone={testTones[test.state]}>{testWords[test.state]}</Badge>
}
