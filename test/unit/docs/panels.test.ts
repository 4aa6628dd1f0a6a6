import { expect, test } from 'vitest'
import { guideCode, panels } from '../../consumers/panels.ts'

test.each(panels)('the panel for $title is short enough to be copied and changed', ({ title }) => {
  expect(guideCode(title).trimEnd().split('\n').length).toBeLessThanOrEqual(60)
})
