/** What is removed where nothing is lost: filters, and items of a cart or a list to choose from. */
export const HARMLESS_REMOVALS =
  'filt(er|re|ro|ri|ry|el|ru)|filtr\\b|ф[иі]л[ьъ]?тр|フィルタ|絞り込み|筛选|篩選|필터|فی?لتر|φιλτρ|bo loc|suodat|szur|मसनन|cart\\b|basket|\\bbag\\b|koszyk|carrito|cesta|panier|warenkorb|winkelwagen|carrello|carrinho|корзин|кошик|sepet|gio hang|keranjang|kosik|kosar|カート|购物车|購物車|장바구니|السلة|سبد|עגלה|סל הקניות|καλαθι|varukorg|handlekurv|ostoskori|ตะกร้า|wish ?list|watch ?list|favou?rites|comparison|selection|auswahl|seleccion|busqueda|suche\\b|recherche|search'

/** What leaves a question alone: not what is asked. */
export const DECLINES =
  'cancel|close|back|no|dismiss|keep|not now|later|abort|skip|help|learn more|edit|preview|go back|return|never ?mind|abbrechen|schließen|zuruck|nein|behalten|spater|cancelar|cerrar|volver|atras|annuler|fermer|retour|non|fechar|voltar|nao|annulla|chiudi|indietro|annuleren|annuleer|sluiten|terug|nee|anuluj|zamknij|wstecz|wroc|nie|iptal|kapat|geri|hayir|vazgec|отмена|отменить|закрыть|назад|нет|取消|关闭|關閉|返回|否|キャンセル|閉じる|戻る|いいえ|취소|닫기|뒤로|아니요|아니오|لغو|انصراف|بستن|بازگشت|خیر|الغاء|اغلاق|رجوع|لا|huy|dong|quay lai|khong|batal|tutup|kembali|tidak|zrusit|zavrit|zpet|ne|скасувати|закрити|ні|ακυρωση|κλεισιμο|πισω|οχι|ביטול|סגור|חזרה|לא|रदद|बंद करें|वापस|नहीं|avbryt|stang|tillbaka|nej|lukk|tilbake|peruuta|sulje|takaisin|ei|megse|bezaras|vissza|nem|anuleaza|renunta|inchide|inapoi|nu|ยกเลิก|ปิด|กลับ|ไม่|x|×|✕|✖'

/** What ends a form or a dialog and says nothing of its own: the title says what is agreed to. */
export const CONSENTS =
  'ok|okay|yes|confirm|continue|go|go ahead|done|proceed|accept|agree|i agree|i understand|finish|complete|do it|next|ja|bestatigen|weiter|fertig|fortfahren|akzeptieren|zustimmen|abschließen|si|confirmar|continuar|aceptar|listo|siguiente|oui|confirmer|continuer|valider|accepter|terminer|suivant|sim|aceitar|concluir|да|подтвердить|продолжить|готово|далее|принять|conferma|continua|accetta|avanti|bevestigen|doorgaan|akkoord|verder|tak|potwierdz|dalej|kontynuuj|zatwierdz|evet|onayla|devam|tamam|kabul et|بله|تایید|ادامه|قبول|co|dong y|xac nhan|tiep tuc|hoan tat|ya|konfirmasi|lanjut|lanjutkan|setuju|selesai|ano|potvrdit|pokracovat|dokoncit|نعم|تاكيد|متابعة|موافق|تم|так|підтвердити|продовжити|ναι|επιβεβαιωση|συνεχεια|αποδοχη|כן|אישור|המשך|אשר|סיום|हाँ|पुष्टि करें|जारी रखें|ठीक है|bekrafta|fortsatt|bekreft|fortsett|kylla|vahvista|jatka|igen|megerosites|tovabb|da|confirma|continua'

/** The same, in scripts without gaps. */
export const CONSENTS_WITHOUT_GAPS =
  '是|确定|确认|確定|確認|继续|繼續|同意|完成|好|はい|続行|続ける|次へ|完了|예|네|확인|계속|동의|완료|다음|ตกลง|ยืนยัน|ใช่|ดำเนินการต่อ'

/** What keeps what was entered: that is all it does, whatever the title names. */
export const SAVES =
  'apply|save|speichern|guardar|enregistrer|salvar|сохранить|salva|opslaan|zapisz|kaydet|ذخیره|luu|simpan|ulozit|حفظ|зберегти|αποθηκευση|שמור|सहेजें|spara|lagre|tallenna|mentes|salveaza|anwenden|ubernehmen|aplicar|appliquer|applica|toepassen|zastosuj|uygula|применить|застосувати'

/** The same, in scripts without gaps. */
export const SAVES_WITHOUT_GAPS = '保存|适用|應用|应用|適用|저장|적용|บันทึก'
