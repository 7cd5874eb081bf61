import { relative } from 'node:path'
import type { TestSpecification } from 'vitest/node'
import { BaseSequencer } from 'vitest/node'
import { allowedSeconds } from './test-costs.ts'

/** Starts the most expensive files first, so that no worker is left with one of them at the end. */
export class CostlyFirst extends BaseSequencer {
  override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    const cost = ({ moduleId, project }: TestSpecification) => allowedSeconds(relative(project.config.root, moduleId))
    return (await super.sort(specifications)).sort((a, b) => cost(b) - cost(a))
  }
}
