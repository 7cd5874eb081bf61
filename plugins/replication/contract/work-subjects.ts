/** What the tasks of replication concern, in names of operators. */
import { defineService } from '#kernel'

/** A content or data set; what is not known is absent. */
export interface WorkSubject {
  readonly bucket: string
  /** The key of one version of the content. */
  readonly key?: string
  readonly providerId?: string
  /** Its registered name. */
  readonly providerName?: string
}

export interface WorkSubjects {
  /** Names subjects of tasks; `nameOf` returns undefined for those of others, and for rows that are gone. */
  name(subjects: readonly { readonly type: string; readonly key: string }[]): Promise<{
    nameOf(subject: { readonly type: string; readonly key: string }): WorkSubject | undefined
  }>
}

export const workSubjects = defineService<WorkSubjects>('replication.work-subjects')
