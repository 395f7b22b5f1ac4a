; The installer for one user. windows.py defines VERSION, NUMBERS, SIZE, TREE, TARGET, ICON, LISTS and COMPRESSION.
;
; setup.exe [/S] [/D=FOLDER]         installs, or replaces another version; /S asks nothing
; uninstall.exe [/S] [/KEEPENTRIES]  removes; with /KEEPENTRIES only the files, which an upgrade does
;
; The exit code is 0, 1 if the user cancels, and 2 if the program runs or the folder is that of others.

; As the program has, which does not run on Windows with 32 bits.
Target amd64-unicode
Unicode true
ManifestDPIAware true
ManifestSupportedOS Win10
RequestExecutionLevel user
SetCompressor ${COMPRESSION}
!if "${COMPRESSION}" != "zlib"
    SetCompressorDictSize 64
!endif
AllowSkipFiles off

!include MUI2.nsh
!include FileFunc.nsh
!include LogicLib.nsh
!include WinVer.nsh

!define NAME "CDB Desktop"
!define AUTHORS "The CDB Desktop authors"
!define UNINSTALL_KEY "Software\Microsoft\Windows\CurrentVersion\Uninstall\${NAME}"
!define PATHS_KEY "Software\Microsoft\Windows\CurrentVersion\App Paths"
!define CLASSES "Software\Classes"
!define VIEW "CDBDesktop.View"
!define MODEL "CDBDesktop.Model"
!define LINK "cdb"
; Half seconds that a silent installation waits for the program to end.
!define PATIENCE 60

Name "${NAME}"
OutFile "${TARGET}"
InstallDir "$LOCALAPPDATA\Programs\${NAME}"
InstallDirRegKey HKCU "${UNINSTALL_KEY}" "InstallLocation"
BrandingText "${NAME} ${VERSION}"

!define MUI_ICON "${ICON}"
!define MUI_UNICON "${ICON}"
!define MUI_ABORTWARNING
!define MUI_FINISHPAGE_RUN "$INSTDIR\cdb-desktop.exe"
!insertmacro MUI_PAGE_DIRECTORY
!insertmacro MUI_PAGE_INSTFILES
!insertmacro MUI_PAGE_FINISH
!define MUI_UNCONFIRMPAGE_TEXT_TOP "$(StaysText)"
!insertmacro MUI_UNPAGE_CONFIRM
!insertmacro MUI_UNPAGE_INSTFILES
!insertmacro MUI_LANGUAGE "English"
!insertmacro MUI_LANGUAGE "German"

LangString RunningText ${LANG_ENGLISH} "${NAME} or its server is running. Close it, then choose Retry."
LangString RunningText ${LANG_GERMAN} "${NAME} oder der zugehörige Server läuft. Beenden Sie das Programm und wählen Sie dann „Wiederholen“."
LangString ForeignText ${LANG_ENGLISH} "The folder $INSTDIR contains other files. Choose an empty or a new folder."
LangString ForeignText ${LANG_GERMAN} "Der Ordner $INSTDIR enthält andere Dateien. Wählen Sie einen leeren oder einen neuen Ordner."
LangString OldText ${LANG_ENGLISH} "The installed version could not be removed. Remove it in the settings of Windows, then install again."
LangString OldText ${LANG_GERMAN} "Die installierte Version konnte nicht entfernt werden. Entfernen Sie sie in den Einstellungen von Windows und installieren Sie dann neu."
LangString SystemText ${LANG_ENGLISH} "${NAME} needs Windows 10 or 11 with 64 bits."
LangString SystemText ${LANG_GERMAN} "${NAME} benötigt Windows 10 oder 11 mit 64 Bit."
LangString StaysText ${LANG_ENGLISH} "${NAME} is removed from this user account. Settings, logs and demo data stay."
LangString StaysText ${LANG_GERMAN} "${NAME} wird aus diesem Benutzerkonto entfernt. Einstellungen, Protokolle und Demodaten bleiben erhalten."
LangString DemoName ${LANG_ENGLISH} "${NAME} with demo data"
LangString DemoName ${LANG_GERMAN} "${NAME} mit Demodaten"
LangString DescriptionText ${LANG_ENGLISH} "Search events and edit the schema of a Content Database Service"
LangString DescriptionText ${LANG_GERMAN} "Ereignisse durchsuchen und das Schema einer Content-Datenbank bearbeiten"
LangString LinkText ${LANG_ENGLISH} "URL:${NAME} link"
LangString LinkText ${LANG_GERMAN} "URL:${NAME}-Link"
LangString ViewText ${LANG_ENGLISH} "Saved view of events"
LangString ViewText ${LANG_GERMAN} "Gespeicherte Ereignisansicht"
LangString ModelText ${LANG_ENGLISH} "Data model of a content database"
LangString ModelText ${LANG_GERMAN} "Datenmodell einer Content-Datenbank"

VIProductVersion "${NUMBERS}"
!macro VersionInformation language
    VIAddVersionKey /LANG=${language} "ProductName" "${NAME}"
    VIAddVersionKey /LANG=${language} "CompanyName" "${AUTHORS}"
    VIAddVersionKey /LANG=${language} "FileDescription" "${NAME} ${VERSION}"
    VIAddVersionKey /LANG=${language} "FileVersion" "${VERSION}"
    VIAddVersionKey /LANG=${language} "ProductVersion" "${VERSION}"
    VIAddVersionKey /LANG=${language} "LegalCopyright" "${COPYRIGHT}"
!macroend
!insertmacro VersionInformation ${LANG_ENGLISH}
!insertmacro VersionInformation ${LANG_GERMAN}

; Sets $4 to the name of a program in the folder that runs: its file cannot be written then. Reading the error flag
; clears it.
!macro ProbeProgram file
    ${If} ${FileExists} "$INSTDIR\${file}"
        ClearErrors
        FileOpen $0 "$INSTDIR\${file}" a
        ${If} ${Errors}
            StrCpy $4 "${file}"
        ${Else}
            FileClose $0
        ${EndIf}
    ${EndIf}
!macroend
!macro DefineWait prefix
Function ${prefix}WaitForPrograms
    StrCpy $1 0
    ${Do}
        StrCpy $4 ""
        !insertmacro ProbeProgram cdb-desktop.exe
        !insertmacro ProbeProgram cdb-server.exe
        !insertmacro ProbeProgram python.exe
        !insertmacro ProbeProgram pythonw.exe
        ${If} $4 == ""
            Return
        ${EndIf}
        ${If} ${Silent}
            IntOp $1 $1 + 1
            ${If} $1 > ${PATIENCE}
                SetErrorLevel 2
                Quit
            ${EndIf}
            Sleep 500
        ${Else}
            MessageBox MB_RETRYCANCEL|MB_ICONEXCLAMATION "$(RunningText)" IDRETRY +3
            SetErrorLevel 2
            Quit
        ${EndIf}
    ${Loop}
FunctionEnd
!macroend
!insertmacro DefineWait ""
!insertmacro DefineWait "un."

Function .onInit
    ${IfNot} ${AtLeastWin10}
        MessageBox MB_OK|MB_ICONSTOP "$(SystemText)" /SD IDOK
        SetErrorLevel 2
        Quit
    ${EndIf}
FunctionEnd

; A folder with files of others is refused, since uninstalling would remove some of them.
Function RequireOwnFolder
    ${If} ${FileExists} "$INSTDIR\cdb-desktop.exe"
    ${AndIf} ${FileExists} "$INSTDIR\uninstall.exe"
        Return
    ${EndIf}
    ClearErrors
    FindFirst $0 $1 "$INSTDIR\*"
    ${DoUntil} ${Errors}
        ${If} $1 != "."
        ${AndIf} $1 != ".."
            FindClose $0
            MessageBox MB_OK|MB_ICONSTOP "$(ForeignText)" /SD IDOK
            SetErrorLevel 2
            Quit
        ${EndIf}
        FindNext $0 $1
    ${Loop}
    FindClose $0
FunctionEnd

; Removes the files of the version in the folder $2 with its own uninstaller, which takes the options $3.
Function RemoveVersion
    ${If} ${FileExists} "$2\uninstall.exe"
        ; With this last option it is not copied first, so that its end can be waited for.
        ExecWait '"$2\uninstall.exe" /S $3 _?=$2' $0
        ${If} $0 != 0
            MessageBox MB_OK|MB_ICONSTOP "$(OldText)" /SD IDOK
            SetErrorLevel 2
            Quit
        ${EndIf}
        Delete "$2\uninstall.exe"
        RMDir "$2"
    ${EndIf}
FunctionEnd

!macro WriteType name description
    WriteRegStr HKCU "${CLASSES}\${name}" "" "${description}"
    WriteRegStr HKCU "${CLASSES}\${name}\DefaultIcon" "" "$INSTDIR\cdb-desktop.exe,0"
    WriteRegStr HKCU "${CLASSES}\${name}\shell\open\command" "" '"$INSTDIR\cdb-desktop.exe" "%1"'
!macroend

; The shell shows new icons and types at once (SHCNE_ASSOCCHANGED).
!macro RefreshShell
    System::Call 'shell32::SHChangeNotify(i 0x08000000, i 0, p 0, p 0)'
!macroend

!macro ForgetType suffix name
    DeleteRegValue HKCU "${CLASSES}\${suffix}\OpenWithProgids" "${name}"
    DeleteRegKey /ifempty HKCU "${CLASSES}\${suffix}\OpenWithProgids"
    DeleteRegKey /ifempty HKCU "${CLASSES}\${suffix}"
!macroend

Section
    Call RequireOwnFolder
    Call WaitForPrograms
    SetShellVarContext current
    ReadRegStr $2 HKCU "${UNINSTALL_KEY}" "InstallLocation"
    ${If} $2 != ""
    ${AndIf} $2 != $INSTDIR
        StrCpy $3 ""
        Call RemoveVersion
    ${EndIf}
    StrCpy $2 $INSTDIR
    StrCpy $3 "/KEEPENTRIES"
    Call RemoveVersion

    !include "${LISTS}/install.nsh"
    SetOutPath "$INSTDIR"
    WriteUninstaller "$INSTDIR\uninstall.exe"

    ; The name in the other language may be there from another installation.
    Delete "$SMPROGRAMS\${NAME} with demo data.lnk"
    Delete "$SMPROGRAMS\${NAME} mit Demodaten.lnk"
    CreateShortcut "$SMPROGRAMS\${NAME}.lnk" "$INSTDIR\cdb-desktop.exe" "" "" 0 SW_SHOWNORMAL "" "$(DescriptionText)"
    CreateShortcut "$SMPROGRAMS\$(DemoName).lnk" "$INSTDIR\cdb-desktop.exe" "--demo" "" 0 SW_SHOWNORMAL "" "$(DescriptionText)"

    WriteRegStr HKCU "${PATHS_KEY}\cdb-desktop.exe" "" "$INSTDIR\cdb-desktop.exe"
    WriteRegStr HKCU "${PATHS_KEY}\cdb-server.exe" "" "$INSTDIR\cdb-server.exe"

    ; Views have a suffix of their own. Models end in .json or .xml, which keep their programs: the desktop is
    ; among those that "Open with" offers.
    !insertmacro WriteType "${VIEW}" "$(ViewText)"
    !insertmacro WriteType "${MODEL}" "$(ModelText)"
    ; Links to events: cdb://events?...
    !insertmacro WriteType "${LINK}" "$(LinkText)"
    WriteRegStr HKCU "${CLASSES}\${LINK}" "URL Protocol" ""
    WriteRegStr HKCU "${CLASSES}\.cdbview" "" "${VIEW}"
    WriteRegNone HKCU "${CLASSES}\.cdbview\OpenWithProgids" "${VIEW}"
    WriteRegNone HKCU "${CLASSES}\.json\OpenWithProgids" "${MODEL}"
    WriteRegNone HKCU "${CLASSES}\.xml\OpenWithProgids" "${MODEL}"
    WriteRegStr HKCU "${CLASSES}\Applications\cdb-desktop.exe" "FriendlyAppName" "${NAME}"
    WriteRegStr HKCU "${CLASSES}\Applications\cdb-desktop.exe\shell\open\command" "" '"$INSTDIR\cdb-desktop.exe" "%1"'
    WriteRegStr HKCU "${CLASSES}\Applications\cdb-desktop.exe\SupportedTypes" ".cdbview" ""
    WriteRegStr HKCU "${CLASSES}\Applications\cdb-desktop.exe\SupportedTypes" ".json" ""
    WriteRegStr HKCU "${CLASSES}\Applications\cdb-desktop.exe\SupportedTypes" ".xml" ""

    WriteRegStr HKCU "${UNINSTALL_KEY}" "DisplayName" "${NAME}"
    WriteRegStr HKCU "${UNINSTALL_KEY}" "DisplayVersion" "${VERSION}"
    WriteRegStr HKCU "${UNINSTALL_KEY}" "DisplayIcon" "$INSTDIR\cdb-desktop.exe"
    WriteRegStr HKCU "${UNINSTALL_KEY}" "Publisher" "${AUTHORS}"
    WriteRegStr HKCU "${UNINSTALL_KEY}" "InstallLocation" "$INSTDIR"
    WriteRegStr HKCU "${UNINSTALL_KEY}" "UninstallString" '"$INSTDIR\uninstall.exe"'
    WriteRegStr HKCU "${UNINSTALL_KEY}" "QuietUninstallString" '"$INSTDIR\uninstall.exe" /S'
    WriteRegDWORD HKCU "${UNINSTALL_KEY}" "EstimatedSize" ${SIZE}
    WriteRegDWORD HKCU "${UNINSTALL_KEY}" "NoModify" 1
    WriteRegDWORD HKCU "${UNINSTALL_KEY}" "NoRepair" 1
    !insertmacro RefreshShell
SectionEnd

Function un.onInit
    ; Everything in this folder is removed by name or below "lib": it must be that of the program.
    ${IfNot} ${FileExists} "$INSTDIR\cdb-desktop.exe"
    ${AndIfNot} ${FileExists} "$INSTDIR\lib\cdb_desktop"
        SetErrorLevel 2
        Quit
    ${EndIf}
FunctionEnd

Section Uninstall
    Call un.WaitForPrograms
    SetShellVarContext current
    SetOutPath "$TEMP"
    !include "${LISTS}/uninstall.nsh"
    RMDir /r "$INSTDIR\lib"
    ${GetParameters} $0
    ClearErrors
    ${GetOptions} $0 "/KEEPENTRIES" $1
    ${IfNot} ${Errors}
        Return
    ${EndIf}
    Delete "$INSTDIR\uninstall.exe"
    RMDir "$INSTDIR"
    Delete "$SMPROGRAMS\${NAME}.lnk"
    Delete "$SMPROGRAMS\${NAME} with demo data.lnk"
    Delete "$SMPROGRAMS\${NAME} mit Demodaten.lnk"
    DeleteRegKey HKCU "${PATHS_KEY}\cdb-desktop.exe"
    DeleteRegKey HKCU "${PATHS_KEY}\cdb-server.exe"
    DeleteRegKey HKCU "${CLASSES}\${VIEW}"
    DeleteRegKey HKCU "${CLASSES}\${MODEL}"
    DeleteRegKey HKCU "${CLASSES}\Applications\cdb-desktop.exe"
    ; Another program may have taken over the scheme.
    ReadRegStr $0 HKCU "${CLASSES}\${LINK}\shell\open\command" ""
    ${If} $0 == '"$INSTDIR\cdb-desktop.exe" "%1"'
        DeleteRegKey HKCU "${CLASSES}\${LINK}"
    ${EndIf}
    ReadRegStr $0 HKCU "${CLASSES}\.cdbview" ""
    ${If} $0 == "${VIEW}"
        DeleteRegValue HKCU "${CLASSES}\.cdbview" ""
    ${EndIf}
    !insertmacro ForgetType ".cdbview" "${VIEW}"
    !insertmacro ForgetType ".json" "${MODEL}"
    !insertmacro ForgetType ".xml" "${MODEL}"
    DeleteRegKey HKCU "${UNINSTALL_KEY}"
    !insertmacro RefreshShell
SectionEnd
