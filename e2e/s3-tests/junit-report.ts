/** Reads the JUnit report that pytest writes. */
import { SaxesParser } from 'saxes'

export interface TestOutcome {
  readonly name: string
  /** An error in the set-up or the clean-up of a test counts as a failure. */
  readonly status: 'passed' | 'failed' | 'skipped'
  /** First line of what pytest says about a failed or skipped test. */
  readonly message: string
}

const statuses: Readonly<Record<string, 'failed' | 'skipped'>> = { failure: 'failed', error: 'failed', skipped: 'skipped' }
const messageMax = 300

/** One outcome per name: a test whose clean-up fails is reported twice, and failed. */
export function readJunitReport(xml: string): readonly TestOutcome[] {
  const outcomes = new Map<string, TestOutcome>()
  const parser = new SaxesParser<{ xmlns: false; position: false }>({ xmlns: false, position: false })
  let current = ''
  parser.on('error', (error) => {
    throw new Error('pytest wrote a report that is not XML', { cause: error })
  })
  parser.on('opentag', ({ name, attributes }) => {
    if (name === 'testcase') {
      current = attributes.name ?? ''
      if (!outcomes.has(current)) outcomes.set(current, { name: current, status: 'passed', message: '' })
      return
    }
    const status = statuses[name]
    if (status === undefined || outcomes.get(current)?.status === 'failed') return
    const [line = ''] = (attributes.message ?? '').split('\n')
    outcomes.set(current, { name: current, status, message: line.slice(0, messageMax) })
  })
  parser.write(xml).close()
  return [...outcomes.values()]
}
