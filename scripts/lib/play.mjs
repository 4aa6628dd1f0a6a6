import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { ensureChromium } from './browser.mjs'
import { prepareBuild } from './install.mjs'
import { inProject, readJson } from './project.mjs'
import { bin } from './run.mjs'

const FOLDER = '.cache/reports'
const VITEST_REPORT = inProject('scripts/lib/vitest-report.mjs')

/** Runs browser tests in Chromium with the present build. */
export async function playInChromium(name, args, { env, reporters } = {}) {
  await prepareBuild()
  const chromium = await ensureChromium()
  return playBrowserTests(name, args, { env: { ...env, OFFSTAGE_CHROMIUM: chromium }, reporters })
}

/** Runs Playwright; `name` names the report, which is null when Playwright ended without one. */
export async function playBrowserTests(name, args, { env = {}, reporters = [] } = {}) {
  const report = newReport(name)
  const { code } = await bin(
    '@playwright/test',
    ['test', ...args, `--reporter=${['list', 'json', ...reporters].join()}`],
    {
      command: 'playwright',
      env: { ...process.env, ...env, PLAYWRIGHT_JSON_OUTPUT_FILE: inProject(report) },
    },
  )
  return { code, report: readReport(report) }
}

/** Runs Vitest; `name` names the report, which is null when Vitest ended without one. */
export async function playUnitTests(name, args, { env = {} } = {}) {
  const report = newReport(name)
  const reporters = [
    '--reporter=default',
    `--reporter=${VITEST_REPORT}`,
    `--outputFile.json=${report}`,
  ]
  const { code } = await bin('vitest', ['run', ...args, ...reporters], {
    env: { ...process.env, ...env },
  })
  return { code, report: readReport(report) }
}

/** A report of an earlier run must not pass for this one's. */
function newReport(name) {
  mkdirSync(inProject(FOLDER), { recursive: true })
  const file = `${FOLDER}/${name}.json`
  rmSync(inProject(file), { force: true })
  return file
}

function readReport(file) {
  return existsSync(inProject(file)) ? readJson(file) : null
}
