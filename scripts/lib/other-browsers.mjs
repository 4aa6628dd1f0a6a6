import { existsSync } from 'node:fs'
import path from 'node:path'
import { onPath } from './browser.mjs'

const PACKAGES = {
  firefox: ['firefox-esr'],
  webkit: ['webkit2gtk-driver', 'xvfb', 'xauth'],
}

/** Path of a Firefox of the system, or undefined. Playwright drives it over WebDriver BiDi. */
export function findFirefox() {
  return process.env.OFFSTAGE_FIREFOX ?? findOnPath('firefox-esr') ?? findOnPath('firefox')
}

/** WebKitGTK's driver, its small browser and a display for both, or undefined. */
export function findWebKit() {
  const driver = findOnPath('WebKitWebDriver')
  const display = findOnPath('xvfb-run')
  const browser = process.env.OFFSTAGE_MINIBROWSER ?? miniBrowser()
  return driver && display && browser ? { driver, display, browser } : undefined
}

/** Debian packages of the engines that are missing. */
export function missingPackages() {
  return [...(findFirefox() ? [] : PACKAGES.firefox), ...(findWebKit() ? [] : PACKAGES.webkit)]
}

function miniBrowser() {
  const folders = ['x86_64-linux-gnu', 'aarch64-linux-gnu'].flatMap((machine) =>
    ['4.1', '6.0', '4.0'].map((version) =>
      version === '6.0'
        ? `/usr/lib/${machine}/webkitgtk-6.0`
        : `/usr/lib/${machine}/webkit2gtk-${version}`,
    ),
  )
  return folders.map((folder) => path.join(folder, 'MiniBrowser')).find((file) => existsSync(file))
}

function findOnPath(program) {
  return onPath(program).find((file) => existsSync(file))
}
