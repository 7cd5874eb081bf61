import { CommandError, type PreparedKernel } from '#kernel'

/** Throws CommandError naming the file and every problem that no settings page can mend. */
export function refuseUnusable({ config, decision }: PreparedKernel): void {
  if (decision.mode !== 'refused') return
  const problems = decision.problems.map(({ field, message }) => `${field} ${message}`).join('; ')
  const where = config.exists ? config.path : `${config.path} does not exist (svc init makes one) and`
  throw new CommandError(`${where} cannot be used: ${problems}`)
}
