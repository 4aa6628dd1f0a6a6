import { JsonReporter } from 'vitest/node'

/** Vitest's JSON report, with the errors outside of any test, which it lacks: of files, of hooks, unhandled ones. */
// oxlint-disable-next-line import/no-default-export -- Vitest asks for it.
export default class extends JsonReporter {
  #errors = []

  onTestRunEnd(modules, unhandled) {
    const suites = modules.flatMap((module) => [module, ...module.children.allSuites()])
    const errors = [...suites.flatMap((suite) => suite.errors()), ...unhandled]
    this.#errors = errors.map(({ stack, message }) => ({ message: stack || message }))
    return super.onTestRunEnd(modules)
  }

  writeReport(report) {
    return super.writeReport(JSON.stringify({ ...JSON.parse(report), errors: this.#errors }))
  }
}
