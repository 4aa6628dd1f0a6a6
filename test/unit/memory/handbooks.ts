/** Handbooks of a shop, with questions that people ask in other words than these. */
export const handbooks = [
  {
    language: 'English',
    text: `# Handbook

## Shipping
We ship parcels on working days. Standard delivery takes two to four days within the country, and up to ten days abroad. The driver leaves a note when nobody is at home. Every parcel has a tracking number, which we send by mail.

## Returns
Articles can be sent back within 30 days. They must be unused and in their own box. Print the label in your account, and take the parcel to any post office! We refund the price within a week after it has arrived.

## Warranty
Machines have a warranty of two years. Repairs are free while it lasts. Damage by water or by a fall isn't covered.

## Payment
You may pay by card, by bank transfer or by invoice. Invoices are due after 14 days. A reminder costs five euros.
`,
    questions: [
      {
        question: 'What does a reminder for an invoice cost?',
        heading: 'Payment',
        says: 'five euros',
      },
      { question: 'Can I send back an unused article?', heading: 'Returns', says: '30 days' },
      { question: 'How do I get my tracking number?', heading: 'Shipping', says: 'by mail' },
      {
        question: 'Is water damage covered by the warranty?',
        heading: 'Warranty',
        says: 'two years',
      },
    ],
  },
  {
    language: 'Chinese',
    text: `# 购物手册

## 配送
我们在工作日发货。国内标准配送需要两到四天，国外最多十天。无人在家时，快递员会留下通知单。每个包裹都有一个快递单号，我们通过邮件发送。

## 退货
商品可以在三十天内退回。商品必须未使用并保留原包装。请在您的账户中打印退货标签，然后把包裹送到任意邮局！包裹到达后，我们会在一周内退款。

## 保修
机器的保修期为两年。保修期内维修免费。进水或摔落造成的损坏不在保修范围内。

## 付款
您可以用银行卡、银行转账或发票付款。发票在十四天后到期。催款通知收费五欧元。
`,
    questions: [
      { question: '催款通知要多少钱？', heading: '付款', says: '五欧元' },
      { question: '没用过的商品能退回吗？', heading: '退货', says: '三十天' },
      { question: '怎么查快递单号？', heading: '配送', says: '邮件' },
      { question: '手机进水损坏可以保修吗？', heading: '保修', says: '两年' },
    ],
  },
  {
    language: 'German',
    text: `# Handbuch

## Versand
Wir verschicken Pakete an Werktagen. Die normale Lieferung dauert im Inland zwei bis vier Tage, im Ausland bis zu zehn. Ist niemand zu Hause, hinterlässt der Fahrer eine Karte. Jedes Paket hat eine Sendungsnummer, die wir per Mail schicken.

## Rückgabe
Artikel können Sie innerhalb von 30 Tagen zurückschicken. Sie müssen unbenutzt und in ihrer eigenen Schachtel sein. Drucken Sie das Etikett in Ihrem Konto, und bringen Sie das Paket zu einer Post! Wir erstatten den Preis eine Woche, nachdem es angekommen ist.

## Garantie
Geräte haben zwei Jahre Garantie. Reparaturen sind so lange kostenlos. Schäden durch Wasser oder einen Sturz deckt sie nicht.

## Zahlung
Zahlen können Sie mit Karte, durch Überweisung oder auf Rechnung. Rechnungen sind nach 14 Tagen fällig. Eine Mahnung kostet fünf Euro.
`,
    questions: [
      { question: 'Was kosten Mahnungen?', heading: 'Zahlung', says: 'fünf Euro' },
      {
        question: 'Kann ich unbenutzte Artikel zurückschicken?',
        heading: 'Rückgabe',
        says: '30 Tagen',
      },
      { question: 'Wo finde ich die Sendungsnummer?', heading: 'Versand', says: 'per Mail' },
      { question: 'Deckt die Garantie Wasserschäden?', heading: 'Garantie', says: 'zwei Jahre' },
    ],
  },
] as const
