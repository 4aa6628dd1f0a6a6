import type { ModelConfig } from 'offstage'
import type { Check, Diagnosis } from 'offstage/providers'
import { el } from '../lib/dom.ts'
import { Latest } from '../lib/latest.ts'

/** Asks the doctor about a model and shows what is wrong with it. */
export interface Checkup {
  run(config: ModelConfig): Promise<void>
  /** Takes the report away; a checkup under way is given up. */
  clear(): void
}

export function createCheckup(container: HTMLElement): Checkup {
  const latest = new Latest()
  const show = (report: readonly Node[]): void => {
    container.replaceChildren(...report)
    container.scrollIntoView({ block: 'nearest' })
  }
  return {
    async run(config) {
      const signal = latest.start()
      show([el('p', {}, 'Checking…')])
      const report = await examine(config, signal)
      if (!signal.aborted) show(report)
    },
    clear() {
      latest.stop()
      container.replaceChildren()
    },
  }
}

async function examine(config: ModelConfig, signal: AbortSignal): Promise<readonly Node[]> {
  try {
    const { diagnose } = await import('offstage/providers')
    return describeDiagnosis(await diagnose(config, { signal }))
  } catch {
    return [el('p', {}, 'The check could not be made.')]
  }
}

function describeDiagnosis({ ok, checks }: Diagnosis): readonly Node[] {
  const findings = checks.filter(({ status }) => status === 'failed' || status === 'warning')
  const verdict = ok ? 'It works: the model answers.' : 'This is in the way:'
  return [
    el('p', { class: ok ? 'checkup-good' : 'checkup-bad' }, verdict),
    ...(findings.length > 0 ? [el('ul', {}, ...findings.map(describeCheck))] : []),
  ]
}

function describeCheck({ name, status, message, fix }: Check): HTMLElement {
  return el(
    'li',
    { class: `check ${status}` },
    el('p', {}, el('strong', {}, `${name.replaceAll('-', ' ')}:`), ` ${message}`),
    ...(fix ? [el('p', { class: 'check-fix' }, fix)] : []),
  )
}
