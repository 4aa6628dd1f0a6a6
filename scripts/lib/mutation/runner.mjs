import { createVitest } from 'vitest/node'
import { inProject } from '../project.mjs'

const CONFIG = inProject('scripts/lib/mutation/vitest.config.ts')
const RUN_ONCE = { watch: false, config: CONFIG, coverage: { enabled: false } }
/** Starting a worker and importing the package, on a busy machine. Milliseconds. */
const START_MS = 60_000

/**
 * @typedef {{ id: string, file: string, project: string, name: string, ms: number, reached: readonly number[] }} Test
 *   A unit test and the mutants that it reaches.
 */

/**
 * Runs every test of the folders once, with all mutants switched off, and returns those that passed. Files with failures
 * are run once more, alone. A test that fails again says nothing about a mutant: it is named in `failed`.
 */
export async function measureReach(folders, count) {
  process.env.MUTANTS = String(count)
  delete process.env.MUTANT
  const first = await runAll(folders)
  if (first.failed.length === 0) return first
  const files = new Set(first.failed.map(({ file }) => file))
  const second = await runAll([...files], { maxWorkers: 1 })
  return {
    tests: [...first.tests.filter(({ file }) => !files.has(file)), ...second.tests],
    failed: second.failed,
  }
}

async function runAll(filters, options = {}) {
  const tests = []
  const failed = []
  const reporter = {
    onTestCaseResult(test) {
      const { state } = test.result()
      const [file, name] = [test.module.relativeModuleId, test.fullName]
      if (state === 'failed') failed.push({ file, name })
      if (state !== 'passed') return
      const { reached = '', reachedBefore = '' } = test.meta()
      const ms = test.diagnostic()?.duration ?? 0
      const project = test.project.name
      tests.push({ id: test.id, file, project, name, ms, reached, reachedBefore })
    },
    onTestModuleEnd(module) {
      const file = module.relativeModuleId
      if (module.errors().length > 0) failed.push({ file, name: 'the file itself' })
    },
  }
  const vitest = await createVitest('test', { ...RUN_ONCE, ...options, reporters: [reporter] })
  await vitest.runTestSpecifications(await vitest.globTestSpecifications(filters))
  await vitest.close()
  process.exitCode = 0
  return { tests, failed }
}

/** Runs tests with one mutant switched on, each time in a worker of its own: nothing of the mutant before is left. */
export class MutantRunner {
  #vitest
  #outcomes = { passed: 0, failed: [], modules: [], errors: 0 }
  #isEnded = false

  static async start(count) {
    const runner = new MutantRunner()
    process.env.MUTANTS = String(count)
    runner.#vitest = await createVitest('test', {
      ...RUN_ONCE,
      maxWorkers: 1,
      reporters: [runner.#reporter()],
    })
    return runner
  }

  async close() {
    await this.#vitest.close()
  }

  /** @returns {Promise<{ outcome: 'killed' | 'timed out' | 'survived', by?: string }>} */
  async tryMutant(number, tests) {
    this.#outcomes = { passed: 0, failed: [], modules: [], errors: 0 }
    this.#isEnded = false
    process.env.MUTANT = String(number)
    const limitMs = START_MS + 8 * tests.reduce((sum, { ms }) => sum + ms, 0)
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      this.#end()
    }, limitMs)
    let problem
    try {
      await this.#vitest.runTestSpecifications(this.#specifications(tests))
    } catch (thrown) {
      if (!this.#isEnded) problem = `the worker ended: ${thrown.message}`
    } finally {
      clearTimeout(timer)
      process.exitCode = 0
    }
    const { passed, failed, modules, errors } = this.#outcomes
    if (isLate) return { outcome: 'timed out' }
    if (errors > 0) problem ??= 'an error outside of the tests'
    const by = failed[0] ?? modules[0] ?? problem
    if (by) return { outcome: 'killed', by }
    if (passed !== tests.length) throw new Error(`Only ${passed} of ${tests.length} tests ran.`)
    return { outcome: 'survived' }
  }

  /** Ends the run with its process: the second call doesn't wait for a worker in an endless loop. */
  #end() {
    this.#isEnded = true
    for (let call = 0; call < 2; call += 1)
      void this.#vitest.cancelCurrentRun('test-failure').catch(() => undefined)
  }

  #specifications(tests) {
    const files = new Map()
    for (const { id, file, project } of tests) {
      const specification = files.get(file) ?? { file, project, testIds: [] }
      specification.testIds.push(id)
      files.set(file, specification)
    }
    return [...files.values()].map(({ file, project, testIds }) =>
      this.#vitest.getProjectByName(project).createSpecification(inProject(file), { testIds }),
    )
  }

  #reporter() {
    return {
      onTestCaseResult: (test) => {
        const { state } = test.result()
        if (state === 'passed') this.#outcomes.passed += 1
        if (state !== 'failed') return
        this.#outcomes.failed.push(test.fullName)
        this.#end()
      },
      onTestModuleEnd: (module) => {
        if (module.errors().length > 0) this.#outcomes.modules.push(module.relativeModuleId)
      },
      onTestRunEnd: (_modules, errors) => {
        this.#outcomes.errors += errors.length
      },
    }
  }
}
