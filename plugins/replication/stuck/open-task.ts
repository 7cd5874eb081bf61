/** SQL text: whether a task with this key is pending or running. `id` is a column. A failed task is not work, dismissed or not. */
export const hasOpenTask = (key: (id: number) => string, id: string): string =>
  `exists (select 1 from tasks t where t.status in ('pending', 'running') and t.key = '${key(0).slice(0, -1)}' || ${id})`
