import type { CommandCall } from '#kernel'
import { formatTable } from '../terminal/table.ts'
import { type SurveyedPlugin, surveyPlugins } from './plugin-survey.ts'

export async function run(call: CommandCall): Promise<number> {
  const { plugins, problem } = await surveyPlugins(call)
  call.out.result(plugins, plugins.length === 0 ? 'There are no plugins.' : formatTable(header, plugins.map(toRow)))
  if (!problem) return 0
  call.out.note(`The service cannot start with this choice:\n${problem.problems.map((line) => `  ${line}`).join('\n')}`)
  return 1
}

const header = ['id', 'state', 'source', 'requires', 'accompanies', 'adds', 'settings']

function toRow(plugin: SurveyedPlugin): readonly string[] {
  const adds = Object.entries(plugin.contributes).map(([point, names]) => `${names.length} ${point}`)
  const cells = [plugin.requires, plugin.accompanies, adds, plugin.settings].map((words) => words.join(', ') || '—')
  return [plugin.id, plugin.state, plugin.source, ...cells]
}
