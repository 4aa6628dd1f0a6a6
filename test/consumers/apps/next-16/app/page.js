'use client'

import { createAgent, defineTool } from 'offstage'
import { useEffect } from 'react'
import { openShop } from '../src/shop.js'

let opened = false

export default function Page() {
  useEffect(() => {
    if (opened) return
    opened = true
    void openShop({ createAgent, defineTool })
  }, [])
  return null
}
