//! The wire format of the built-in types. Written by tests/protobuf/generate; never by hand.

use super::schema::{Field, INLINE, Kind as K, Message, NULLABLE, REQUIRED, SKIP_ZERO, Shape as S, field as f, message as m};

/// The release of Kubernetes whose types these are.
pub(super) const RELEASE: &str = "1.37";

/// Members' names, one after another, and one within another.
pub(super) static NAMES: &str = "ignoreStoreReadErrorWithClusterBreakingPotentialpreferredDuringSchedulingIgnoredDuringExecutionrequiredDuringS\
chedulingIgnoredDuringExecutionnodeAllocatableResourceClaimStatusespersistentVolumeClaimRetentionPolicyx-kuber\
netes-preserve-unknown-fieldsnodeAllocatableUpdatePeriodSecondscurrentVolumeAttributesClassNamecurrentCPUUtili\
zationPercentagenodeAllocatableResourceMappingstargetVolumeAttributesClassNametargetCPUUtilizationPercentagex-\
kubernetes-embedded-resourceallocateLoadBalancerNodePortsdefaultPartitionTypeAttributepersistentVolumeReclaimP\
olicypreventPodSchedulingIfMissingterminationGracePeriodSecondsautomountServiceAccountTokeninsecureSkipTLSVeri\
fyBackendserviceAccountTokenInSecretsextendedResourceClaimStatusparentCompositePodGroupNamecompositePodGroupTe\
mplatescontrollerPublishSecretRefdeletionGracePeriodSecondsephemeralContainerStatusespriorityLevelConfiguratio\
nserverAddressByClientCIDRsstabilizationWindowSecondssuccessfulJobsHistoryLimitunhealthyPodEvictionPolicyx-kub\
ernetes-int-or-stringx-kubernetes-list-map-keysallocatedResourceStatusescontrollerExpandSecretRefpartiallyAvai\
lableDevicesresourceClaimTemplateNametopologySpreadConstraintsunverifiedUserAnnotationsvolumeAttributesClassNa\
meadditionalPrinterColumnsallocatedResourcesStatusallowMultipleAllocationsallowPrivilegeEscalationassuredConcu\
rrencySharesbindingFailureConditionsconversionReviewVersionsdeprecatedFirstTimestamploadBalancerSourceRangesno\
deAllocatableResourcesnominalConcurrencySharespublishNotReadyAddressessupplementalGroupsPolicyterminationMessa\
gePolicyx-kubernetes-validationsadmissionReviewVersionscontainerRuntimeVersiondeprecatedLastTimestampdisableRe\
sizePreemptionlastPhaseTransitionTimeparameterNotFoundActionprogressDeadlineSecondsrecursiveReadOnlyMountsstar\
tingDeadlineSecondsttlSecondsAfterFinisheduncountedTerminatedPodscurrentNumberScheduleddesiredNumberSchedulede\
xpectedCompletionTimefailedJobsHistoryLimitgmsaCredentialSpecNamepartitionTypeAttributeperDeviceNodeSelectionr\
eadOnlyRootFilesystemrunningInUserNamespaceterminationMessagePathupdatedNumberScheduledx-kubernetes-list-typea\
ctiveDeadlineSecondsborrowingLimitPercentcommonEncodingVersionexternalTrafficPolicyfullyAvailableDevicesinitCo\
ntainerStatusesinternalTrafficPolicymatchLabelExpressionsnonResourceAttributespreserveUnknownFieldsresourceCla\
imStatusesschedulingConstraintssessionAffinityConfigshareProcessNamespacex-kubernetes-map-typeadditionalProper\
tiesallocationMultiplierallowVolumeExpansionawsElasticBlockStorebackoffLimitPerIndexcertificateChainPathcluste\
rRoleSelectorscredentialBundlePathexcludeResourceRulesextendedResourceNamefullyLabeledReplicasgroupPriorityMin\
imumleaseDurationSecondsmaxExpirationSecondsmaxLimitRequestRationodePublishSecretRefpersistentVolumeNamephoton\
PersistentDiskpodGroupTemplateNamepodReplacementPolicyresourceVersionMatchrevisionHistoryLimitvolumeClaimTempl\
atesvolumeLifecycleModesallocationTimestampallowWatchBookmarkscompatibilityGroupsdistinguisherMethodephemeralC\
ontainersexpirationTimestampfsGroupChangePolicyhealthCheckNodePortinitialDelaySecondsnodeExpandSecretRefpodGro\
upTemplateRefpodManagementPolicypodPreemptionPolicyreportingControllerseLinuxChangePolicytargetContainerNamete\
rminatingReplicastrafficDistributionunavailableReplicasapplyConfigurationattachmentMetadataaverageUtilizationb\
lockOwnerDeletioncapacityMultiplierclusterTrustBundledeprecatedTopologydeprecationWarningdisruptionsAllowedena\
bleServiceLinksendpointsNamespaceevictionRespondersexpressionWarningsgracePeriodSecondslastSuccessfulTimelastT\
ransitionTimematchingPrecedencemodifyVolumeStatusnodeAffinityPolicynodeStageSecretRefnumberMisscheduledobserve\
dGenerationpodGroupReplicaKeyreinvocationPolicyremainingItemCountreportingComponentrequestSubResourceresourceA\
ttributesresourceSliceCountrestartPolicyRulesserviceAccountNameskipNodeOperationsstatusReplicasPathstorageVers\
ionHashtemplateGenerationunavailableDevicesupdatedAnnotationsallowedTopologiesbindingConditionschapAuthDiscove\
ryconcurrencyPolicycontainerResourcecontainerStatusescreationTimestampdecodableVersionsdeletionTimestampderive\
dAttributesdesiredAPIVersiondistinctAttributeexpirationSecondsgcePersistentDisklabelSelectorPathlastHeartbeatT\
imeloadBalancerClassmaximumVolumeSizemessageExpressionmismatchLabelKeysnamespaceSelectornodeSelectorTermsnomin\
atedNodeNamenotReadyAddressesnumberUnavailablepatternPropertiespodGroupTemplatespriorityClassNameproofOfPosses\
sionpropagationPolicyreportingInstancerequiresRepublishresourceClaimNameretryAfterSecondssendInitialEventsserv\
iceAccountUIDsetHostnameAsFQDNstoragePolicyNamestubPKCS10RequesttolerationSecondsvalidationActionsvolumeBindin\
gModewhenUnsatisfiableallocatedDevicesauditAnnotationsbindMountOptionscompletedIndexesconsumedCapacityconsumes\
CountersconvertedObjectsdeclaredFeaturesdeprecatedSourcedeviceMultiplieremulationVersionexclusiveMaximumexclus\
iveMinimumfailureThresholdhealthConditionshostnameOverrideimagePullSecretsingressClassNameinlineVolumeSpeckube\
ProxyVersionkubeletConfigKeylastObservedTimelastScheduleTimeleaseTransitionslocalhostProfilematchConstraintsma\
tchExpressionsmaxFailedIndexesmountPropagationnodeTaintsPolicynonResourceRulesorphanDependentspartitionSummary\
podFailurePolicypreemptionPolicypreferredVersionprotectionDomainqueueLengthLimitresourceFieldRefruntimeClassNa\
meschedulingPolicyselectableFieldsshareableSummarysingularResourcespecReplicasPathstorageClassNamesucceededInd\
exessuccessThresholdtargetRespondersadditionalItemsaggregationRuleappArmorProfilechapAuthSessionconfigMapKeyRe\
fcurrentReplicascurrentRevisiondaemonEndpointsdeprecatedCountdescribedObjectdesiredReplicasdeviceClassNameenco\
dingVersionevaluationErrorfieldValidationhardwareAddressimagePullPolicykubeletEndpointlendablePercentmatchCond\
itionsminReadySecondsnonResourceURLsnumberAvailableonPodConditionsopenAPIV3SchemaoperatingSystemoptionalOldSel\
fownerReferencespodAffinityTermpodAntiAffinitypreferredHolderrequestMappingsrequestResourceruntimeHandlerssche\
dulingGatesschedulingGroupsecretNamespacesecurityContextstorageCapacitystoragePolicyIDstorageVersionsupdatedRe\
plicasuserAnnotationsvalidationErrorvalueExpressionversionPriorityvolumeNamespacevolumesAttachedallocationMode\
attachRequiredbeginRefreshAtboundObjectRefcollisionCountcompletionModecompletionTimecurrentHealthycurrentMetri\
csdefaultBackenddefaultRequestdesiredHealthydeviceSelectordisruptionModefirstAvailablefirstTimestampholderIden\
tityinitContainersinvolvedObjectipFamilyPolicyiscsiInterfacekubeletVersionlastUpdateTimeloadBalancerIPmanualSe\
lectormatchAttributematchResourcesmaxUnavailableobjectSelectorpodCertificatepodInfoOnMountportworxVolumereadin\
essGatesreadinessProberesourceClaimsscaleTargetRefseLinuxOptionsseccompProfileservedVersionssharedCountersstor\
edVersionssucceededCounttargetSelectortimeoutSecondsupdateRevisionupdateStrategyuserNamespaceswindowsOptionsac\
ceptedNamesacceptedTypesauthenticatedbinaryVersionconditionTypecontainerNamecontainerPortcontinueTokencontroll\
erRefdataSourceRefdeleteOptionsdisruptedPodsfailedIndexesfailurePolicyfieldSelectorfsGroupPolicyglobalDefaulth\
eartbeatTimeincludeObjectinitiatorNameinterfaceNamekernelVersionlastKnownGoodlastProbeTimelastScaleTimelastTim\
estamplimitResponselivenessProbemanagedFieldsmaxPropertiesminGroupCountminPropertiesperiodSecondspkixPublicKey\
preconditionsreadyReplicasreclaimPolicyrequestPolicyresourceNamesresourceRulesrollingUpdaterunAsUserNameschedu\
lerNamescopeSelectorshardSelectorstorageHealthsuccessPolicytokenRequestsunschedulablevolumeDevicesvsphereVolum\
earchitectureattestationsaverageValuecapabilitiesclientConfigclusterScopeconfigMapRefconfigSourcedependenciese\
xpectedPodsexternalDocsexternalNamefieldManagergenerateNamegroupVersionhealthStatusminAvailablemountOptionsnod\
eTopologyperContainerpodGroupNamerequirementsresizePolicyresponseKindrestartCountrunAsNonRootseLinuxMountsecre\
tKeyRefselectPolicysinceSecondssingularNamestartupProbesubresourcestargetPortaltemplateNametopologyKeystotalDe\
vicestypeCheckingvolumeHandlevolumeHealthvolumeMountsvolumeStatusvolumesInUseworkloadNameJSONSchemasaccessMode\
sacquireTimeaddressTypeadminAccessallocatableannotationsapiServerIDapiVersionsappProtocolattachErrorbindsToNod\
ecachingModecapacityKeycompletionsconstraintscontainerIDdatasetNamedatasetUUIDdefaultModedefaultUserdefinition\
sdescriptiondetachErrordownwardAPIexternalIPshostAliaseshostNetworkhostProcesshttpHeadersjobTemplatematchField\
smatchLabelsmatchPolicymaxReplicasminReplicasnameserversnetworkDatanumberReadyonExitCodesparallelismpodSelecto\
rpolicyTypesprovisionerrawSelectorrequestKindrequestNamereservedForserviceNameservicePortsideEffectsstorageMod\
estoragePoolsubPathExprsubResourcetolerationstrustBundleuniqueItemsvalidValueswhenDeletedworkloadRefattributes\
binaryDatacategoriesclientCIDRclusterIPscontainerscounterSetdevicePathdriverNameexternalIDfieldsTypefileKeyRef\
finalizersfinishedAtflexVolumegenerationincompleteipFamilieslimitBytesminDomainsmultipleOfnamespacednamespaces\
operationsparameterspolicyNamepreferenceprivilegedpropertiesproviderIDpullPolicyrepositoryrequestersresourceID\
respondersrollbackTorunAsGroupsecretFileshortNamessignerNamesslEnabledstopSignalstringDatasystemUUIDtargetWWNs\
terminatedtimestampsvalidRangevolumeModevolumePathwhenScaledworkingDiraddressesapiGroupsaudiencesazureDiskazur\
eFileclaimNamecomponentdirectorydnsConfigdnsPolicyerrorCodeeventTimeexitCodesfieldPathfreshnessglusterfshostUs\
ershostnamesimmutablejsonPatchlastStateleaseNamelifecyclemachineIDmanagedBymaxLengthminLengthmountPathmutation\
snotBeforeoldObjectparamKindparentRefpatchTypepodGroupspoolCountpostStartprocMountprojectedregardingrenewTimes\
caleDownscopeNamesecretRefselectorsshardInfoshareNamesinceTimesizeBytessizeLimitstartTimestartedAtstdinOncesto\
rageossubdomaintailLinestargetReftcpSockettimeAddedtolerancevalueFromvariablesPropertyaffinityallNodesassigned\
attachedattacherbehaviorcaBundleclaimRefclientIPcountersdiskNameemptyDirfeaturesfieldReffieldsV1forNodesforZon\
eshandSizehostPathhostPortimageRefjsonPathlistKindmaxItemsmaxSurgemetadataminCountminItemsmonitorsnodeInfonode\
NamenodePortnotAfternullableoperatorordinalsoverheadparamRefpathTypepingTimepodCIDRspodFixedpoliciespoolNamepr\
eviousprotocolqosClassquantityregistryreplicasrequestssearchesselfLinkstrategysubjectstimeZoneuserInfousername\
versionsvolumeIDwarningswebhooks$schemabackendcommanddetailsdevicesdiskURIdivisordriversendPortenvFromexactlye\
xampleflockergatewaygitRepohandlerhostIPChostIPshostPIDhttpGetimageIDipBlockkeyPathkeyTypekeyringlimitedmanage\
rmappingmaxSkewmetricsminimumnodeUIDobjectsoptionsosImagepodNameportalspreStopqueuingquobyterelatedresultsrole\
RefscaleIOscaleUpsecondssecretsservingshareIDstringssubsetssuspendsysctlswaitingAllowsactionbootIDcausescephfs\
cinderclaimsdenieddryRuneffectegressexceptexemptfollowformatfsTypegroupsimagesintentipModelabelslimitsmediumno\
deIDopaquepausedpdNameperPodpluralpodIPspodUIDprefixqueuesreasonschemescopesseriessignalsinglestderrstdoutstre\
amtaintstenantusagesvaluesweightallOfanyOfbasicboolscidrsextraforcehintshostsitemslevellinuxoneOfpathsphasepoo\
lsportsrangerulessleepstatetitleverbswatchwwids$refargscodedropenumexecfromganggrpckindmodenotepdIDpodsstepswa\
pzonecelgidipsiqnlunnfsrbdttyuidurl";

/// The kinds that are served: apiVersion, kind, number of the message; in order.
pub(super) static ROOTS: [(&str, &str, u16); 379] = [
    ("admission.k8s.io/v1", "AdmissionReview", 2),
    ("admission.k8s.io/v1beta1", "AdmissionReview", 2),
    ("admissionregistration.k8s.io/v1", "MutatingAdmissionPolicy", 8),
    ("admissionregistration.k8s.io/v1", "MutatingAdmissionPolicyBinding", 9),
    ("admissionregistration.k8s.io/v1", "MutatingAdmissionPolicyBindingList", 10),
    ("admissionregistration.k8s.io/v1", "MutatingAdmissionPolicyList", 12),
    ("admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration", 15),
    ("admissionregistration.k8s.io/v1", "MutatingWebhookConfigurationList", 16),
    ("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy", 25),
    ("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicyBinding", 26),
    ("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicyBindingList", 27),
    ("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicyList", 29),
    ("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", 33),
    ("admissionregistration.k8s.io/v1", "ValidatingWebhookConfigurationList", 34),
    ("admissionregistration.k8s.io/v1alpha1", "MutatingAdmissionPolicy", 8),
    ("admissionregistration.k8s.io/v1alpha1", "MutatingAdmissionPolicyBinding", 9),
    ("admissionregistration.k8s.io/v1alpha1", "MutatingAdmissionPolicyBindingList", 10),
    ("admissionregistration.k8s.io/v1alpha1", "MutatingAdmissionPolicyList", 12),
    ("admissionregistration.k8s.io/v1alpha1", "ValidatingAdmissionPolicy", 25),
    ("admissionregistration.k8s.io/v1alpha1", "ValidatingAdmissionPolicyBinding", 26),
    ("admissionregistration.k8s.io/v1alpha1", "ValidatingAdmissionPolicyBindingList", 27),
    ("admissionregistration.k8s.io/v1alpha1", "ValidatingAdmissionPolicyList", 29),
    ("admissionregistration.k8s.io/v1beta1", "MutatingAdmissionPolicy", 8),
    ("admissionregistration.k8s.io/v1beta1", "MutatingAdmissionPolicyBinding", 9),
    ("admissionregistration.k8s.io/v1beta1", "MutatingAdmissionPolicyBindingList", 10),
    ("admissionregistration.k8s.io/v1beta1", "MutatingAdmissionPolicyList", 12),
    ("admissionregistration.k8s.io/v1beta1", "MutatingWebhookConfiguration", 38),
    ("admissionregistration.k8s.io/v1beta1", "MutatingWebhookConfigurationList", 39),
    ("admissionregistration.k8s.io/v1beta1", "ValidatingAdmissionPolicy", 25),
    ("admissionregistration.k8s.io/v1beta1", "ValidatingAdmissionPolicyBinding", 26),
    ("admissionregistration.k8s.io/v1beta1", "ValidatingAdmissionPolicyBindingList", 27),
    ("admissionregistration.k8s.io/v1beta1", "ValidatingAdmissionPolicyList", 29),
    ("admissionregistration.k8s.io/v1beta1", "ValidatingWebhookConfiguration", 41),
    ("admissionregistration.k8s.io/v1beta1", "ValidatingWebhookConfigurationList", 42),
    ("apidiscovery.k8s.io/v2", "APIGroupDiscovery", 43),
    ("apidiscovery.k8s.io/v2", "APIGroupDiscoveryList", 44),
    ("apidiscovery.k8s.io/v2beta1", "APIGroupDiscovery", 43),
    ("apidiscovery.k8s.io/v2beta1", "APIGroupDiscoveryList", 44),
    ("apiextensions.k8s.io/v1", "ConversionReview", 731),
    ("apiextensions.k8s.io/v1", "CustomResourceDefinition", 734),
    ("apiextensions.k8s.io/v1", "CustomResourceDefinitionList", 736),
    ("apiregistration.k8s.io/v1", "APIService", 783),
    ("apiregistration.k8s.io/v1", "APIServiceList", 784),
    ("apps/v1", "ControllerRevision", 54),
    ("apps/v1", "ControllerRevisionList", 55),
    ("apps/v1", "DaemonSet", 56),
    ("apps/v1", "DaemonSetList", 58),
    ("apps/v1", "Deployment", 62),
    ("apps/v1", "DeploymentList", 64),
    ("apps/v1", "ReplicaSet", 67),
    ("apps/v1", "ReplicaSetList", 68),
    ("apps/v1", "StatefulSet", 73),
    ("apps/v1", "StatefulSetList", 74),
    ("apps/v1beta1", "ControllerRevision", 54),
    ("apps/v1beta1", "ControllerRevisionList", 55),
    ("apps/v1beta1", "Deployment", 80),
    ("apps/v1beta1", "DeploymentList", 81),
    ("apps/v1beta1", "DeploymentRollback", 82),
    ("apps/v1beta1", "Scale", 85),
    ("apps/v1beta1", "StatefulSet", 88),
    ("apps/v1beta1", "StatefulSetList", 89),
    ("apps/v1beta2", "ControllerRevision", 54),
    ("apps/v1beta2", "ControllerRevisionList", 55),
    ("apps/v1beta2", "DaemonSet", 56),
    ("apps/v1beta2", "DaemonSetList", 58),
    ("apps/v1beta2", "Deployment", 62),
    ("apps/v1beta2", "DeploymentList", 64),
    ("apps/v1beta2", "ReplicaSet", 67),
    ("apps/v1beta2", "ReplicaSetList", 68),
    ("apps/v1beta2", "Scale", 85),
    ("apps/v1beta2", "StatefulSet", 73),
    ("apps/v1beta2", "StatefulSetList", 74),
    ("authentication.k8s.io/v1", "SelfSubjectReview", 94),
    ("authentication.k8s.io/v1", "TokenRequest", 96),
    ("authentication.k8s.io/v1", "TokenReview", 99),
    ("authentication.k8s.io/v1alpha1", "SelfSubjectReview", 94),
    ("authentication.k8s.io/v1beta1", "SelfSubjectReview", 94),
    ("authentication.k8s.io/v1beta1", "TokenReview", 99),
    ("authorization.k8s.io/v1", "LocalSubjectAccessReview", 104),
    ("authorization.k8s.io/v1", "SelfSubjectAccessReview", 109),
    ("authorization.k8s.io/v1", "SelfSubjectRulesReview", 111),
    ("authorization.k8s.io/v1", "SubjectAccessReview", 104),
    ("authorization.k8s.io/v1beta1", "LocalSubjectAccessReview", 116),
    ("authorization.k8s.io/v1beta1", "SelfSubjectAccessReview", 109),
    ("authorization.k8s.io/v1beta1", "SelfSubjectRulesReview", 111),
    ("authorization.k8s.io/v1beta1", "SubjectAccessReview", 116),
    ("autoscaling/v1", "HorizontalPodAutoscaler", 119),
    ("autoscaling/v1", "HorizontalPodAutoscalerList", 120),
    ("autoscaling/v1", "Scale", 123),
    ("autoscaling/v2", "HorizontalPodAutoscaler", 131),
    ("autoscaling/v2", "HorizontalPodAutoscalerList", 134),
    ("batch/v1", "CronJob", 146),
    ("batch/v1", "CronJobList", 147),
    ("batch/v1", "Job", 150),
    ("batch/v1", "JobList", 152),
    ("batch/v1beta1", "CronJob", 146),
    ("batch/v1beta1", "CronJobList", 147),
    ("certificates.k8s.io/v1", "CertificateSigningRequest", 164),
    ("certificates.k8s.io/v1", "CertificateSigningRequestList", 166),
    ("certificates.k8s.io/v1", "ClusterTrustBundle", 169),
    ("certificates.k8s.io/v1", "ClusterTrustBundleList", 170),
    ("certificates.k8s.io/v1", "PodCertificateRequest", 172),
    ("certificates.k8s.io/v1", "PodCertificateRequestList", 173),
    ("certificates.k8s.io/v1alpha1", "ClusterTrustBundle", 169),
    ("certificates.k8s.io/v1alpha1", "ClusterTrustBundleList", 170),
    ("certificates.k8s.io/v1alpha1", "PodCertificateRequest", 176),
    ("certificates.k8s.io/v1alpha1", "PodCertificateRequestList", 177),
    ("certificates.k8s.io/v1beta1", "CertificateSigningRequest", 179),
    ("certificates.k8s.io/v1beta1", "CertificateSigningRequestList", 180),
    ("certificates.k8s.io/v1beta1", "ClusterTrustBundle", 169),
    ("certificates.k8s.io/v1beta1", "ClusterTrustBundleList", 170),
    ("certificates.k8s.io/v1beta1", "PodCertificateRequest", 182),
    ("certificates.k8s.io/v1beta1", "PodCertificateRequestList", 183),
    ("coordination.k8s.io/v1", "Lease", 185),
    ("coordination.k8s.io/v1", "LeaseList", 186),
    ("coordination.k8s.io/v1alpha2", "LeaseCandidate", 188),
    ("coordination.k8s.io/v1alpha2", "LeaseCandidateList", 189),
    ("coordination.k8s.io/v1beta1", "Lease", 185),
    ("coordination.k8s.io/v1beta1", "LeaseCandidate", 188),
    ("coordination.k8s.io/v1beta1", "LeaseCandidateList", 189),
    ("coordination.k8s.io/v1beta1", "LeaseList", 186),
    ("discovery.k8s.io/v1", "EndpointSlice", 426),
    ("discovery.k8s.io/v1", "EndpointSliceList", 427),
    ("discovery.k8s.io/v1beta1", "EndpointSlice", 429),
    ("discovery.k8s.io/v1beta1", "EndpointSliceList", 430),
    ("events.k8s.io/v1", "Event", 431),
    ("events.k8s.io/v1", "EventList", 432),
    ("events.k8s.io/v1beta1", "Event", 431),
    ("events.k8s.io/v1beta1", "EventList", 432),
    ("extensions/v1beta1", "DaemonSet", 434),
    ("extensions/v1beta1", "DaemonSetList", 435),
    ("extensions/v1beta1", "Deployment", 80),
    ("extensions/v1beta1", "DeploymentList", 81),
    ("extensions/v1beta1", "DeploymentRollback", 82),
    ("extensions/v1beta1", "Ingress", 440),
    ("extensions/v1beta1", "IngressList", 442),
    ("extensions/v1beta1", "NetworkPolicy", 450),
    ("extensions/v1beta1", "NetworkPolicyList", 453),
    ("extensions/v1beta1", "ReplicaSet", 457),
    ("extensions/v1beta1", "ReplicaSetList", 458),
    ("extensions/v1beta1", "Scale", 85),
    ("flowcontrol.apiserver.k8s.io/v1", "FlowSchema", 462),
    ("flowcontrol.apiserver.k8s.io/v1", "FlowSchemaList", 464),
    ("flowcontrol.apiserver.k8s.io/v1", "PriorityLevelConfiguration", 471),
    ("flowcontrol.apiserver.k8s.io/v1", "PriorityLevelConfigurationList", 472),
    ("flowcontrol.apiserver.k8s.io/v1beta1", "FlowSchema", 462),
    ("flowcontrol.apiserver.k8s.io/v1beta1", "FlowSchemaList", 464),
    ("flowcontrol.apiserver.k8s.io/v1beta1", "PriorityLevelConfiguration", 479),
    ("flowcontrol.apiserver.k8s.io/v1beta1", "PriorityLevelConfigurationList", 480),
    ("flowcontrol.apiserver.k8s.io/v1beta2", "FlowSchema", 462),
    ("flowcontrol.apiserver.k8s.io/v1beta2", "FlowSchemaList", 464),
    ("flowcontrol.apiserver.k8s.io/v1beta2", "PriorityLevelConfiguration", 479),
    ("flowcontrol.apiserver.k8s.io/v1beta2", "PriorityLevelConfigurationList", 480),
    ("flowcontrol.apiserver.k8s.io/v1beta3", "FlowSchema", 462),
    ("flowcontrol.apiserver.k8s.io/v1beta3", "FlowSchemaList", 464),
    ("flowcontrol.apiserver.k8s.io/v1beta3", "PriorityLevelConfiguration", 483),
    ("flowcontrol.apiserver.k8s.io/v1beta3", "PriorityLevelConfigurationList", 484),
    ("imagepolicy.k8s.io/v1alpha1", "ImageReview", 486),
    ("internal.apiserver.k8s.io/v1alpha1", "StorageVersion", 49),
    ("internal.apiserver.k8s.io/v1alpha1", "StorageVersionList", 51),
    ("lifecycle.k8s.io/v1alpha1", "Eviction", 490),
    ("lifecycle.k8s.io/v1alpha1", "EvictionList", 491),
    ("lifecycle.k8s.io/v1alpha1", "EvictionRequest", 493),
    ("lifecycle.k8s.io/v1alpha1", "EvictionRequestList", 494),
    ("meta.k8s.io/v1", "PartialObjectMetadata", 771),
    ("meta.k8s.io/v1", "PartialObjectMetadataList", 772),
    ("meta.k8s.io/v1", "TableOptions", 780),
    ("networking.k8s.io/v1", "IPAddress", 505),
    ("networking.k8s.io/v1", "IPAddressList", 506),
    ("networking.k8s.io/v1", "Ingress", 508),
    ("networking.k8s.io/v1", "IngressClass", 510),
    ("networking.k8s.io/v1", "IngressClassList", 511),
    ("networking.k8s.io/v1", "IngressList", 514),
    ("networking.k8s.io/v1", "NetworkPolicy", 450),
    ("networking.k8s.io/v1", "NetworkPolicyList", 453),
    ("networking.k8s.io/v1", "ServiceCIDR", 521),
    ("networking.k8s.io/v1", "ServiceCIDRList", 522),
    ("networking.k8s.io/v1alpha1", "IPAddress", 505),
    ("networking.k8s.io/v1alpha1", "IPAddressList", 506),
    ("networking.k8s.io/v1alpha1", "ServiceCIDR", 521),
    ("networking.k8s.io/v1alpha1", "ServiceCIDRList", 522),
    ("networking.k8s.io/v1beta1", "IPAddress", 505),
    ("networking.k8s.io/v1beta1", "IPAddressList", 506),
    ("networking.k8s.io/v1beta1", "Ingress", 440),
    ("networking.k8s.io/v1beta1", "IngressClass", 510),
    ("networking.k8s.io/v1beta1", "IngressClassList", 511),
    ("networking.k8s.io/v1beta1", "IngressList", 442),
    ("networking.k8s.io/v1beta1", "ServiceCIDR", 521),
    ("networking.k8s.io/v1beta1", "ServiceCIDRList", 522),
    ("node.k8s.io/v1", "RuntimeClass", 526),
    ("node.k8s.io/v1", "RuntimeClassList", 527),
    ("node.k8s.io/v1alpha1", "RuntimeClass", 529),
    ("node.k8s.io/v1alpha1", "RuntimeClassList", 530),
    ("node.k8s.io/v1beta1", "RuntimeClass", 526),
    ("node.k8s.io/v1beta1", "RuntimeClassList", 527),
    ("policy/v1", "Eviction", 532),
    ("policy/v1", "PodDisruptionBudget", 533),
    ("policy/v1", "PodDisruptionBudgetList", 534),
    ("policy/v1beta1", "Eviction", 532),
    ("policy/v1beta1", "PodDisruptionBudget", 533),
    ("policy/v1beta1", "PodDisruptionBudgetList", 534),
    ("rbac.authorization.k8s.io/v1", "ClusterRole", 538),
    ("rbac.authorization.k8s.io/v1", "ClusterRoleBinding", 539),
    ("rbac.authorization.k8s.io/v1", "ClusterRoleBindingList", 540),
    ("rbac.authorization.k8s.io/v1", "ClusterRoleList", 541),
    ("rbac.authorization.k8s.io/v1", "Role", 543),
    ("rbac.authorization.k8s.io/v1", "RoleBinding", 539),
    ("rbac.authorization.k8s.io/v1", "RoleBindingList", 540),
    ("rbac.authorization.k8s.io/v1", "RoleList", 544),
    ("rbac.authorization.k8s.io/v1alpha1", "ClusterRole", 547),
    ("rbac.authorization.k8s.io/v1alpha1", "ClusterRoleBinding", 548),
    ("rbac.authorization.k8s.io/v1alpha1", "ClusterRoleBindingList", 549),
    ("rbac.authorization.k8s.io/v1alpha1", "ClusterRoleList", 550),
    ("rbac.authorization.k8s.io/v1alpha1", "Role", 552),
    ("rbac.authorization.k8s.io/v1alpha1", "RoleBinding", 548),
    ("rbac.authorization.k8s.io/v1alpha1", "RoleBindingList", 549),
    ("rbac.authorization.k8s.io/v1alpha1", "RoleList", 553),
    ("rbac.authorization.k8s.io/v1beta1", "ClusterRole", 538),
    ("rbac.authorization.k8s.io/v1beta1", "ClusterRoleBinding", 539),
    ("rbac.authorization.k8s.io/v1beta1", "ClusterRoleBindingList", 540),
    ("rbac.authorization.k8s.io/v1beta1", "ClusterRoleList", 541),
    ("rbac.authorization.k8s.io/v1beta1", "Role", 543),
    ("rbac.authorization.k8s.io/v1beta1", "RoleBinding", 539),
    ("rbac.authorization.k8s.io/v1beta1", "RoleBindingList", 540),
    ("rbac.authorization.k8s.io/v1beta1", "RoleList", 544),
    ("resource.k8s.io/v1", "DeviceClass", 570),
    ("resource.k8s.io/v1", "DeviceClassList", 572),
    ("resource.k8s.io/v1", "DeviceTaintRule", 581),
    ("resource.k8s.io/v1", "DeviceTaintRuleList", 582),
    ("resource.k8s.io/v1", "ResourceClaim", 592),
    ("resource.k8s.io/v1", "ResourceClaimList", 594),
    ("resource.k8s.io/v1", "ResourceClaimTemplate", 597),
    ("resource.k8s.io/v1", "ResourceClaimTemplateList", 598),
    ("resource.k8s.io/v1", "ResourceSlice", 601),
    ("resource.k8s.io/v1", "ResourceSliceList", 602),
    ("resource.k8s.io/v1alpha3", "DeviceClass", 611),
    ("resource.k8s.io/v1alpha3", "DeviceClassList", 612),
    ("resource.k8s.io/v1alpha3", "DeviceTaintRule", 619),
    ("resource.k8s.io/v1alpha3", "DeviceTaintRuleList", 620),
    ("resource.k8s.io/v1alpha3", "ResourceClaim", 625),
    ("resource.k8s.io/v1alpha3", "ResourceClaimList", 626),
    ("resource.k8s.io/v1alpha3", "ResourceClaimTemplate", 629),
    ("resource.k8s.io/v1alpha3", "ResourceClaimTemplateList", 630),
    ("resource.k8s.io/v1alpha3", "ResourcePoolStatusRequest", 632),
    ("resource.k8s.io/v1alpha3", "ResourcePoolStatusRequestList", 633),
    ("resource.k8s.io/v1alpha3", "ResourceSlice", 636),
    ("resource.k8s.io/v1alpha3", "ResourceSliceList", 637),
    ("resource.k8s.io/v1beta1", "DeviceClass", 570),
    ("resource.k8s.io/v1beta1", "DeviceClassList", 572),
    ("resource.k8s.io/v1beta1", "ResourceClaim", 646),
    ("resource.k8s.io/v1beta1", "ResourceClaimList", 647),
    ("resource.k8s.io/v1beta1", "ResourceClaimTemplate", 649),
    ("resource.k8s.io/v1beta1", "ResourceClaimTemplateList", 650),
    ("resource.k8s.io/v1beta1", "ResourceSlice", 652),
    ("resource.k8s.io/v1beta1", "ResourceSliceList", 653),
    ("resource.k8s.io/v1beta2", "DeviceClass", 570),
    ("resource.k8s.io/v1beta2", "DeviceClassList", 572),
    ("resource.k8s.io/v1beta2", "DeviceTaintRule", 581),
    ("resource.k8s.io/v1beta2", "DeviceTaintRuleList", 582),
    ("resource.k8s.io/v1beta2", "ResourceClaim", 592),
    ("resource.k8s.io/v1beta2", "ResourceClaimList", 594),
    ("resource.k8s.io/v1beta2", "ResourceClaimTemplate", 597),
    ("resource.k8s.io/v1beta2", "ResourceClaimTemplateList", 598),
    ("resource.k8s.io/v1beta2", "ResourceSlice", 601),
    ("resource.k8s.io/v1beta2", "ResourceSliceList", 602),
    ("scheduling.k8s.io/v1", "PriorityClass", 655),
    ("scheduling.k8s.io/v1", "PriorityClassList", 656),
    ("scheduling.k8s.io/v1alpha1", "PriorityClass", 655),
    ("scheduling.k8s.io/v1alpha1", "PriorityClassList", 656),
    ("scheduling.k8s.io/v1alpha1", "Workload", 661),
    ("scheduling.k8s.io/v1alpha1", "WorkloadList", 662),
    ("scheduling.k8s.io/v1alpha2", "PodGroup", 664),
    ("scheduling.k8s.io/v1alpha2", "PodGroupList", 665),
    ("scheduling.k8s.io/v1alpha2", "Workload", 674),
    ("scheduling.k8s.io/v1alpha2", "WorkloadList", 675),
    ("scheduling.k8s.io/v1alpha3", "CompositePodGroup", 680),
    ("scheduling.k8s.io/v1alpha3", "CompositePodGroupList", 681),
    ("scheduling.k8s.io/v1alpha3", "PodGroup", 685),
    ("scheduling.k8s.io/v1alpha3", "PodGroupList", 686),
    ("scheduling.k8s.io/v1alpha3", "Workload", 689),
    ("scheduling.k8s.io/v1alpha3", "WorkloadList", 690),
    ("scheduling.k8s.io/v1beta1", "PodGroup", 685),
    ("scheduling.k8s.io/v1beta1", "PodGroupList", 686),
    ("scheduling.k8s.io/v1beta1", "PriorityClass", 655),
    ("scheduling.k8s.io/v1beta1", "PriorityClassList", 656),
    ("scheduling.k8s.io/v1beta1", "Workload", 689),
    ("scheduling.k8s.io/v1beta1", "WorkloadList", 690),
    ("storage.k8s.io/v1", "CSIDriver", 695),
    ("storage.k8s.io/v1", "CSIDriverList", 696),
    ("storage.k8s.io/v1", "CSINode", 698),
    ("storage.k8s.io/v1", "CSINodeList", 700),
    ("storage.k8s.io/v1", "CSIStorageCapacity", 703),
    ("storage.k8s.io/v1", "CSIStorageCapacityList", 704),
    ("storage.k8s.io/v1", "StorageClass", 705),
    ("storage.k8s.io/v1", "StorageClassList", 706),
    ("storage.k8s.io/v1", "VolumeAttachment", 710),
    ("storage.k8s.io/v1", "VolumeAttachmentList", 711),
    ("storage.k8s.io/v1", "VolumeAttributesClass", 715),
    ("storage.k8s.io/v1", "VolumeAttributesClassList", 716),
    ("storage.k8s.io/v1alpha1", "CSIStorageCapacity", 703),
    ("storage.k8s.io/v1alpha1", "CSIStorageCapacityList", 704),
    ("storage.k8s.io/v1alpha1", "VolumeAttachment", 710),
    ("storage.k8s.io/v1alpha1", "VolumeAttachmentList", 711),
    ("storage.k8s.io/v1alpha1", "VolumeAttributesClass", 715),
    ("storage.k8s.io/v1alpha1", "VolumeAttributesClassList", 716),
    ("storage.k8s.io/v1beta1", "CSIDriver", 695),
    ("storage.k8s.io/v1beta1", "CSIDriverList", 696),
    ("storage.k8s.io/v1beta1", "CSINode", 698),
    ("storage.k8s.io/v1beta1", "CSINodeList", 700),
    ("storage.k8s.io/v1beta1", "CSIStorageCapacity", 703),
    ("storage.k8s.io/v1beta1", "CSIStorageCapacityList", 704),
    ("storage.k8s.io/v1beta1", "StorageClass", 705),
    ("storage.k8s.io/v1beta1", "StorageClassList", 706),
    ("storage.k8s.io/v1beta1", "VolumeAttachment", 710),
    ("storage.k8s.io/v1beta1", "VolumeAttachmentList", 711),
    ("storage.k8s.io/v1beta1", "VolumeAttributesClass", 715),
    ("storage.k8s.io/v1beta1", "VolumeAttributesClassList", 716),
    ("storagemigration.k8s.io/v1", "StorageVersionMigration", 719),
    ("storagemigration.k8s.io/v1", "StorageVersionMigrationList", 720),
    ("storagemigration.k8s.io/v1alpha1", "StorageVersionMigration", 725),
    ("storagemigration.k8s.io/v1alpha1", "StorageVersionMigrationList", 726),
    ("storagemigration.k8s.io/v1beta1", "StorageVersionMigration", 719),
    ("storagemigration.k8s.io/v1beta1", "StorageVersionMigrationList", 720),
    ("v1", "APIGroup", 752),
    ("v1", "APIGroupList", 753),
    ("v1", "APIResourceList", 755),
    ("v1", "APIVersions", 756),
    ("v1", "Binding", 198),
    ("v1", "ComponentStatus", 209),
    ("v1", "ComponentStatusList", 210),
    ("v1", "ConfigMap", 211),
    ("v1", "ConfigMapList", 214),
    ("v1", "CreateOptions", 758),
    ("v1", "DeleteOptions", 759),
    ("v1", "Endpoints", 239),
    ("v1", "EndpointsList", 240),
    ("v1", "Event", 246),
    ("v1", "EventList", 247),
    ("v1", "GetOptions", 760),
    ("v1", "LimitRange", 274),
    ("v1", "LimitRangeList", 276),
    ("v1", "List", 279),
    ("v1", "ListOptions", 767),
    ("v1", "Namespace", 286),
    ("v1", "NamespaceList", 288),
    ("v1", "Node", 291),
    ("v1", "NodeList", 302),
    ("v1", "NodeProxyOptions", 304),
    ("v1", "PatchOptions", 773),
    ("v1", "PersistentVolume", 316),
    ("v1", "PersistentVolumeClaim", 317),
    ("v1", "PersistentVolumeClaimList", 318),
    ("v1", "PersistentVolumeList", 323),
    ("v1", "Pod", 328),
    ("v1", "PodAttachOptions", 331),
    ("v1", "PodExecOptions", 336),
    ("v1", "PodList", 338),
    ("v1", "PodLogOptions", 339),
    ("v1", "PodPortForwardOptions", 341),
    ("v1", "PodProxyOptions", 304),
    ("v1", "PodStatusResult", 349),
    ("v1", "PodTemplate", 350),
    ("v1", "PodTemplateList", 351),
    ("v1", "RangeAllocation", 363),
    ("v1", "ReplicationController", 364),
    ("v1", "ReplicationControllerList", 365),
    ("v1", "ResourceQuota", 371),
    ("v1", "ResourceQuotaList", 372),
    ("v1", "Secret", 382),
    ("v1", "SecretList", 383),
    ("v1", "SerializedReference", 387),
    ("v1", "Service", 388),
    ("v1", "ServiceAccount", 389),
    ("v1", "ServiceAccountList", 390),
    ("v1", "ServiceList", 392),
    ("v1", "ServiceProxyOptions", 304),
    ("v1", "Status", 777),
    ("v1", "UpdateOptions", 781),
    ("v1", "WatchEvent", 782),
];

/// The first field of each message, the number of its fields, and those that JSON never omits.
pub(super) static MESSAGES: [Message; 788] = [
    m(0, 15, 0xbc7), // 0 admission/v1.AdmissionRequest
    m(15, 7, 0x3), // 1 admission/v1.AdmissionResponse
    m(22, 2, 0x0), // 2 admission/v1.AdmissionReview
    m(24, 1, 0x0), // 3 admissionregistration/v1.ApplyConfiguration
    m(25, 2, 0x3), // 4 admissionregistration/v1.AuditAnnotation
    m(27, 2, 0x3), // 5 admissionregistration/v1.ExpressionWarning
    m(29, 2, 0x3), // 6 admissionregistration/v1.MatchCondition
    m(31, 5, 0x0), // 7 admissionregistration/v1.MatchResources
    m(36, 2, 0x3), // 8 admissionregistration/v1.MutatingAdmissionPolicy
    m(38, 2, 0x3), // 9 admissionregistration/v1.MutatingAdmissionPolicyBinding
    m(40, 2, 0x3), // 10 admissionregistration/v1.MutatingAdmissionPolicyBindingList
    m(42, 3, 0x0), // 11 admissionregistration/v1.MutatingAdmissionPolicyBindingSpec
    m(45, 2, 0x3), // 12 admissionregistration/v1.MutatingAdmissionPolicyList
    m(47, 7, 0x0), // 13 admissionregistration/v1.MutatingAdmissionPolicySpec
    m(54, 12, 0xa3), // 14 admissionregistration/v1.MutatingWebhook
    m(66, 2, 0x1), // 15 admissionregistration/v1.MutatingWebhookConfiguration
    m(68, 2, 0x3), // 16 admissionregistration/v1.MutatingWebhookConfigurationList
    m(70, 3, 0x1), // 17 admissionregistration/v1.Mutation
    m(73, 2, 0x2), // 18 admissionregistration/v1.NamedRuleWithOperations
    m(75, 2, 0x0), // 19 admissionregistration/v1.ParamKind
    m(77, 4, 0x0), // 20 admissionregistration/v1.ParamRef
    m(81, 4, 0x0), // 21 admissionregistration/v1.Rule
    m(85, 2, 0x2), // 22 admissionregistration/v1.RuleWithOperations
    m(87, 4, 0x3), // 23 admissionregistration/v1.ServiceReference
    m(91, 1, 0x0), // 24 admissionregistration/v1.TypeChecking
    m(92, 3, 0x7), // 25 admissionregistration/v1.ValidatingAdmissionPolicy
    m(95, 2, 0x3), // 26 admissionregistration/v1.ValidatingAdmissionPolicyBinding
    m(97, 2, 0x3), // 27 admissionregistration/v1.ValidatingAdmissionPolicyBindingList
    m(99, 4, 0x0), // 28 admissionregistration/v1.ValidatingAdmissionPolicyBindingSpec
    m(103, 2, 0x3), // 29 admissionregistration/v1.ValidatingAdmissionPolicyList
    m(105, 7, 0x0), // 30 admissionregistration/v1.ValidatingAdmissionPolicySpec
    m(112, 3, 0x0), // 31 admissionregistration/v1.ValidatingAdmissionPolicyStatus
    m(115, 11, 0xa3), // 32 admissionregistration/v1.ValidatingWebhook
    m(126, 2, 0x1), // 33 admissionregistration/v1.ValidatingWebhookConfiguration
    m(128, 2, 0x3), // 34 admissionregistration/v1.ValidatingWebhookConfigurationList
    m(130, 4, 0x1), // 35 admissionregistration/v1.Validation
    m(134, 3, 0x0), // 36 admissionregistration/v1.WebhookClientConfig
    m(137, 12, 0x3), // 37 admissionregistration/v1beta1.MutatingWebhook
    m(149, 2, 0x1), // 38 admissionregistration/v1beta1.MutatingWebhookConfiguration
    m(151, 2, 0x3), // 39 admissionregistration/v1beta1.MutatingWebhookConfigurationList
    m(153, 11, 0x3), // 40 admissionregistration/v1beta1.ValidatingWebhook
    m(164, 2, 0x1), // 41 admissionregistration/v1beta1.ValidatingWebhookConfiguration
    m(166, 2, 0x3), // 42 admissionregistration/v1beta1.ValidatingWebhookConfigurationList
    m(168, 2, 0x1), // 43 apidiscovery/v2.APIGroupDiscovery
    m(170, 2, 0x3), // 44 apidiscovery/v2.APIGroupDiscoveryList
    m(172, 8, 0x1d), // 45 apidiscovery/v2.APIResourceDiscovery
    m(180, 4, 0x9), // 46 apidiscovery/v2.APISubresourceDiscovery
    m(184, 3, 0x1), // 47 apidiscovery/v2.APIVersionDiscovery
    m(187, 4, 0x0), // 48 apiserverinternal/v1alpha1.ServerStorageVersion
    m(191, 3, 0x7), // 49 apiserverinternal/v1alpha1.StorageVersion
    m(194, 6, 0x1b), // 50 apiserverinternal/v1alpha1.StorageVersionCondition
    m(200, 2, 0x3), // 51 apiserverinternal/v1alpha1.StorageVersionList
    m(202, 0, 0x0), // 52 apiserverinternal/v1alpha1.StorageVersionSpec
    m(202, 3, 0x0), // 53 apiserverinternal/v1alpha1.StorageVersionStatus
    m(205, 3, 0x7), // 54 apps/v1.ControllerRevision
    m(208, 2, 0x3), // 55 apps/v1.ControllerRevisionList
    m(210, 3, 0x7), // 56 apps/v1.DaemonSet
    m(213, 5, 0x7), // 57 apps/v1.DaemonSetCondition
    m(218, 2, 0x3), // 58 apps/v1.DaemonSetList
    m(220, 5, 0x7), // 59 apps/v1.DaemonSetSpec
    m(225, 10, 0xf), // 60 apps/v1.DaemonSetStatus
    m(235, 2, 0x0), // 61 apps/v1.DaemonSetUpdateStrategy
    m(237, 3, 0x7), // 62 apps/v1.Deployment
    m(240, 6, 0x33), // 63 apps/v1.DeploymentCondition
    m(246, 2, 0x3), // 64 apps/v1.DeploymentList
    m(248, 8, 0xe), // 65 apps/v1.DeploymentSpec
    m(256, 9, 0x0), // 66 apps/v1.DeploymentStatus
    m(265, 3, 0x7), // 67 apps/v1.ReplicaSet
    m(268, 2, 0x3), // 68 apps/v1.ReplicaSetList
    m(270, 4, 0x6), // 69 apps/v1.ReplicaSetSpec
    m(274, 7, 0x1), // 70 apps/v1.ReplicaSetStatus
    m(281, 2, 0x0), // 71 apps/v1.RollingUpdateDaemonSet
    m(283, 2, 0x0), // 72 apps/v1.RollingUpdateStatefulSetStrategy
    m(285, 3, 0x7), // 73 apps/v1.StatefulSet
    m(288, 2, 0x3), // 74 apps/v1.StatefulSetList
    m(290, 1, 0x1), // 75 apps/v1.StatefulSetOrdinals
    m(291, 2, 0x0), // 76 apps/v1.StatefulSetPersistentVolumeClaimRetentionPolicy
    m(293, 11, 0x56), // 77 apps/v1.StatefulSetSpec
    m(304, 10, 0x202), // 78 apps/v1.StatefulSetStatus
    m(314, 2, 0x0), // 79 apps/v1.StatefulSetUpdateStrategy
    m(316, 3, 0x7), // 80 apps/v1beta1.Deployment
    m(319, 2, 0x3), // 81 apps/v1beta1.DeploymentList
    m(321, 3, 0x5), // 82 apps/v1beta1.DeploymentRollback
    m(324, 9, 0xc), // 83 apps/v1beta1.DeploymentSpec
    m(333, 1, 0x0), // 84 apps/v1beta1.RollbackConfig
    m(334, 3, 0x7), // 85 apps/v1beta1.Scale
    m(337, 1, 0x0), // 86 apps/v1beta1.ScaleSpec
    m(338, 3, 0x1), // 87 apps/v1beta1.ScaleStatus
    m(341, 3, 0x7), // 88 apps/v1beta1.StatefulSet
    m(344, 2, 0x3), // 89 apps/v1beta1.StatefulSetList
    m(346, 11, 0x54), // 90 apps/v1beta1.StatefulSetSpec
    m(357, 10, 0x202), // 91 apps/v1beta1.StatefulSetStatus
    m(367, 1, 0x0), // 92 authentication/v1.AttestationValue
    m(368, 4, 0x0), // 93 authentication/v1.BoundObjectReference
    m(372, 2, 0x3), // 94 authentication/v1.SelfSubjectReview
    m(374, 1, 0x1), // 95 authentication/v1.SelfSubjectReviewStatus
    m(375, 3, 0x7), // 96 authentication/v1.TokenRequest
    m(378, 4, 0x7), // 97 authentication/v1.TokenRequestSpec
    m(382, 2, 0x3), // 98 authentication/v1.TokenRequestStatus
    m(384, 3, 0x7), // 99 authentication/v1.TokenReview
    m(387, 2, 0x0), // 100 authentication/v1.TokenReviewSpec
    m(389, 4, 0x2), // 101 authentication/v1.TokenReviewStatus
    m(393, 4, 0x0), // 102 authentication/v1.UserInfo
    m(397, 2, 0x0), // 103 authorization/v1.FieldSelectorAttributes
    m(399, 3, 0x7), // 104 authorization/v1.LocalSubjectAccessReview
    m(402, 2, 0x0), // 105 authorization/v1.NonResourceAttributes
    m(404, 2, 0x1), // 106 authorization/v1.NonResourceRule
    m(406, 9, 0x0), // 107 authorization/v1.ResourceAttributes
    m(415, 4, 0x1), // 108 authorization/v1.ResourceRule
    m(419, 3, 0x7), // 109 authorization/v1.SelfSubjectAccessReview
    m(422, 2, 0x0), // 110 authorization/v1.SelfSubjectAccessReviewSpec
    m(424, 3, 0x7), // 111 authorization/v1.SelfSubjectRulesReview
    m(427, 1, 0x0), // 112 authorization/v1.SelfSubjectRulesReviewSpec
    m(428, 6, 0x0), // 113 authorization/v1.SubjectAccessReviewSpec
    m(434, 4, 0x1), // 114 authorization/v1.SubjectAccessReviewStatus
    m(438, 4, 0x7), // 115 authorization/v1.SubjectRulesReviewStatus
    m(442, 3, 0x7), // 116 authorization/v1beta1.LocalSubjectAccessReview
    m(445, 6, 0x0), // 117 authorization/v1beta1.SubjectAccessReviewSpec
    m(451, 3, 0x3), // 118 autoscaling/v1.CrossVersionObjectReference
    m(454, 3, 0x7), // 119 autoscaling/v1.HorizontalPodAutoscaler
    m(457, 2, 0x3), // 120 autoscaling/v1.HorizontalPodAutoscalerList
    m(459, 4, 0x5), // 121 autoscaling/v1.HorizontalPodAutoscalerSpec
    m(463, 5, 0xc), // 122 autoscaling/v1.HorizontalPodAutoscalerStatus
    m(468, 3, 0x7), // 123 autoscaling/v1.Scale
    m(471, 2, 0x1), // 124 autoscaling/v1.ScaleStatus
    m(473, 3, 0x7), // 125 autoscaling/v2.ContainerResourceMetricSource
    m(476, 3, 0x7), // 126 autoscaling/v2.ContainerResourceMetricStatus
    m(479, 2, 0x3), // 127 autoscaling/v2.ExternalMetricSource
    m(481, 2, 0x3), // 128 autoscaling/v2.ExternalMetricStatus
    m(483, 3, 0x7), // 129 autoscaling/v2.HPAScalingPolicy
    m(486, 4, 0x0), // 130 autoscaling/v2.HPAScalingRules
    m(490, 3, 0x7), // 131 autoscaling/v2.HorizontalPodAutoscaler
    m(493, 2, 0x0), // 132 autoscaling/v2.HorizontalPodAutoscalerBehavior
    m(495, 6, 0x7), // 133 autoscaling/v2.HorizontalPodAutoscalerCondition
    m(501, 2, 0x3), // 134 autoscaling/v2.HorizontalPodAutoscalerList
    m(503, 5, 0x5), // 135 autoscaling/v2.HorizontalPodAutoscalerSpec
    m(508, 6, 0x18), // 136 autoscaling/v2.HorizontalPodAutoscalerStatus
    m(514, 2, 0x1), // 137 autoscaling/v2.MetricIdentifier
    m(516, 6, 0x1), // 138 autoscaling/v2.MetricSpec
    m(522, 6, 0x1), // 139 autoscaling/v2.MetricStatus
    m(528, 4, 0x1), // 140 autoscaling/v2.MetricTarget
    m(532, 3, 0x0), // 141 autoscaling/v2.MetricValueStatus
    m(535, 3, 0x7), // 142 autoscaling/v2.ObjectMetricSource
    m(538, 3, 0x7), // 143 autoscaling/v2.ObjectMetricStatus
    m(541, 2, 0x3), // 144 autoscaling/v2.ResourceMetricSource
    m(543, 2, 0x3), // 145 autoscaling/v2.ResourceMetricStatus
    m(545, 3, 0x7), // 146 batch/v1.CronJob
    m(548, 2, 0x3), // 147 batch/v1.CronJobList
    m(550, 8, 0x11), // 148 batch/v1.CronJobSpec
    m(558, 3, 0x0), // 149 batch/v1.CronJobStatus
    m(561, 3, 0x7), // 150 batch/v1.Job
    m(564, 6, 0xf), // 151 batch/v1.JobCondition
    m(570, 2, 0x3), // 152 batch/v1.JobList
    m(572, 4, 0x0), // 153 batch/v1.JobSchedulingConfiguration
    m(576, 17, 0x20), // 154 batch/v1.JobSpec
    m(593, 11, 0x0), // 155 batch/v1.JobStatus
    m(604, 2, 0x3), // 156 batch/v1.JobTemplateSpec
    m(606, 1, 0x1), // 157 batch/v1.PodFailurePolicy
    m(607, 3, 0x6), // 158 batch/v1.PodFailurePolicyOnExitCodesRequirement
    m(610, 2, 0x3), // 159 batch/v1.PodFailurePolicyOnPodConditionsPattern
    m(612, 3, 0x1), // 160 batch/v1.PodFailurePolicyRule
    m(615, 1, 0x1), // 161 batch/v1.SuccessPolicy
    m(616, 2, 0x0), // 162 batch/v1.SuccessPolicyRule
    m(618, 2, 0x0), // 163 batch/v1.UncountedTerminatedPods
    m(620, 3, 0x7), // 164 certificates/v1.CertificateSigningRequest
    m(623, 6, 0x39), // 165 certificates/v1.CertificateSigningRequestCondition
    m(629, 2, 0x3), // 166 certificates/v1.CertificateSigningRequestList
    m(631, 8, 0x41), // 167 certificates/v1.CertificateSigningRequestSpec
    m(639, 2, 0x0), // 168 certificates/v1.CertificateSigningRequestStatus
    m(641, 2, 0x3), // 169 certificates/v1.ClusterTrustBundle
    m(643, 2, 0x3), // 170 certificates/v1.ClusterTrustBundleList
    m(645, 2, 0x2), // 171 certificates/v1.ClusterTrustBundleSpec
    m(647, 3, 0x7), // 172 certificates/v1.PodCertificateRequest
    m(650, 2, 0x3), // 173 certificates/v1.PodCertificateRequestList
    m(652, 10, 0x27f), // 174 certificates/v1.PodCertificateRequestSpec
    m(662, 5, 0x0), // 175 certificates/v1.PodCertificateRequestStatus
    m(667, 3, 0x7), // 176 certificates/v1alpha1.PodCertificateRequest
    m(670, 2, 0x3), // 177 certificates/v1alpha1.PodCertificateRequestList
    m(672, 10, 0x37f), // 178 certificates/v1alpha1.PodCertificateRequestSpec
    m(682, 3, 0x7), // 179 certificates/v1beta1.CertificateSigningRequest
    m(685, 2, 0x3), // 180 certificates/v1beta1.CertificateSigningRequestList
    m(687, 8, 0x1), // 181 certificates/v1beta1.CertificateSigningRequestSpec
    m(695, 3, 0x7), // 182 certificates/v1beta1.PodCertificateRequest
    m(698, 2, 0x3), // 183 certificates/v1beta1.PodCertificateRequestList
    m(700, 12, 0xb7f), // 184 certificates/v1beta1.PodCertificateRequestSpec
    m(712, 2, 0x3), // 185 coordination/v1.Lease
    m(714, 2, 0x3), // 186 coordination/v1.LeaseList
    m(716, 7, 0x0), // 187 coordination/v1.LeaseSpec
    m(723, 2, 0x3), // 188 coordination/v1alpha2.LeaseCandidate
    m(725, 2, 0x3), // 189 coordination/v1alpha2.LeaseCandidateList
    m(727, 6, 0x9), // 190 coordination/v1alpha2.LeaseCandidateSpec
    m(733, 4, 0x1), // 191 core/v1.AWSElasticBlockStoreVolumeSource
    m(737, 3, 0x0), // 192 core/v1.Affinity
    m(740, 2, 0x1), // 193 core/v1.AppArmorProfile
    m(742, 2, 0x3), // 194 core/v1.AttachedVolume
    m(744, 6, 0x3), // 195 core/v1.AzureDiskVolumeSource
    m(750, 4, 0xb), // 196 core/v1.AzureFilePersistentVolumeSource
    m(754, 3, 0x3), // 197 core/v1.AzureFileVolumeSource
    m(757, 2, 0x3), // 198 core/v1.Binding
    m(759, 10, 0x3), // 199 core/v1.CSIPersistentVolumeSource
    m(769, 5, 0x1), // 200 core/v1.CSIVolumeSource
    m(774, 2, 0x0), // 201 core/v1.Capabilities
    m(776, 6, 0x1), // 202 core/v1.CephFSPersistentVolumeSource
    m(782, 6, 0x1), // 203 core/v1.CephFSVolumeSource
    m(788, 4, 0x1), // 204 core/v1.CinderPersistentVolumeSource
    m(792, 4, 0x1), // 205 core/v1.CinderVolumeSource
    m(796, 1, 0x0), // 206 core/v1.ClientIPConfig
    m(797, 6, 0x8), // 207 core/v1.ClusterTrustBundleProjection
    m(803, 4, 0x3), // 208 core/v1.ComponentCondition
    m(807, 2, 0x1), // 209 core/v1.ComponentStatus
    m(809, 2, 0x3), // 210 core/v1.ComponentStatusList
    m(811, 4, 0x1), // 211 core/v1.ConfigMap
    m(815, 2, 0x1), // 212 core/v1.ConfigMapEnvSource
    m(817, 3, 0x3), // 213 core/v1.ConfigMapKeySelector
    m(820, 2, 0x3), // 214 core/v1.ConfigMapList
    m(822, 5, 0x13), // 215 core/v1.ConfigMapNodeConfigSource
    m(827, 3, 0x1), // 216 core/v1.ConfigMapProjection
    m(830, 5, 0x1), // 217 core/v1.ConfigMapVolumeSource
    m(835, 25, 0x81), // 218 core/v1.Container
    m(860, 3, 0x7), // 219 core/v1.ContainerExtendedResourceRequest
    m(863, 2, 0x1), // 220 core/v1.ContainerImage
    m(865, 5, 0x4), // 221 core/v1.ContainerPort
    m(870, 2, 0x3), // 222 core/v1.ContainerResizePolicy
    m(872, 2, 0x0), // 223 core/v1.ContainerRestartRule
    m(874, 2, 0x0), // 224 core/v1.ContainerRestartRuleOnExitCodes
    m(876, 3, 0x0), // 225 core/v1.ContainerState
    m(879, 1, 0x1), // 226 core/v1.ContainerStateRunning
    m(880, 7, 0x31), // 227 core/v1.ContainerStateTerminated
    m(887, 2, 0x0), // 228 core/v1.ContainerStateWaiting
    m(889, 15, 0x7f), // 229 core/v1.ContainerStatus
    m(904, 1, 0x0), // 230 core/v1.ContainerUser
    m(905, 1, 0x1), // 231 core/v1.DaemonEndpoint
    m(906, 1, 0x0), // 232 core/v1.DownwardAPIProjection
    m(907, 5, 0x1), // 233 core/v1.DownwardAPIVolumeFile
    m(912, 3, 0x0), // 234 core/v1.DownwardAPIVolumeSource
    m(915, 3, 0x0), // 235 core/v1.EmptyDirVolumeSource
    m(918, 4, 0x1), // 236 core/v1.EndpointAddress
    m(922, 4, 0x2), // 237 core/v1.EndpointPort
    m(926, 3, 0x0), // 238 core/v1.EndpointSubset
    m(929, 2, 0x1), // 239 core/v1.Endpoints
    m(931, 2, 0x3), // 240 core/v1.EndpointsList
    m(933, 3, 0x0), // 241 core/v1.EnvFromSource
    m(936, 3, 0x1), // 242 core/v1.EnvVar
    m(939, 5, 0x0), // 243 core/v1.EnvVarSource
    m(944, 2, 0x1), // 244 core/v1.EphemeralContainer
    m(946, 1, 0x0), // 245 core/v1.EphemeralVolumeSource
    m(947, 15, 0x6273), // 246 core/v1.Event
    m(962, 2, 0x3), // 247 core/v1.EventList
    m(964, 2, 0x2), // 248 core/v1.EventSeries
    m(966, 2, 0x0), // 249 core/v1.EventSource
    m(968, 2, 0x3), // 250 core/v1.EvictionResponder
    m(970, 1, 0x0), // 251 core/v1.ExecAction
    m(971, 5, 0x0), // 252 core/v1.FCVolumeSource
    m(976, 4, 0x7), // 253 core/v1.FileKeySelector
    m(980, 5, 0x1), // 254 core/v1.FlexPersistentVolumeSource
    m(985, 5, 0x1), // 255 core/v1.FlexVolumeSource
    m(990, 2, 0x0), // 256 core/v1.FlockerVolumeSource
    m(992, 4, 0x1), // 257 core/v1.GCEPersistentDiskVolumeSource
    m(996, 3, 0x3), // 258 core/v1.GRPCAction
    m(999, 3, 0x1), // 259 core/v1.GitRepoVolumeSource
    m(1002, 4, 0x3), // 260 core/v1.GlusterfsPersistentVolumeSource
    m(1006, 3, 0x3), // 261 core/v1.GlusterfsVolumeSource
    m(1009, 6, 0x2), // 262 core/v1.HTTPGetAction
    m(1015, 2, 0x3), // 263 core/v1.HTTPHeader
    m(1017, 2, 0x1), // 264 core/v1.HostAlias
    m(1019, 1, 0x1), // 265 core/v1.HostIP
    m(1020, 2, 0x1), // 266 core/v1.HostPathVolumeSource
    m(1022, 11, 0x7), // 267 core/v1.ISCSIPersistentVolumeSource
    m(1033, 11, 0x7), // 268 core/v1.ISCSIVolumeSource
    m(1044, 2, 0x0), // 269 core/v1.ImageVolumeSource
    m(1046, 1, 0x0), // 270 core/v1.ImageVolumeStatus
    m(1047, 4, 0x3), // 271 core/v1.KeyToPath
    m(1051, 3, 0x0), // 272 core/v1.Lifecycle
    m(1054, 4, 0x0), // 273 core/v1.LifecycleHandler
    m(1058, 2, 0x3), // 274 core/v1.LimitRange
    m(1060, 6, 0x1), // 275 core/v1.LimitRangeItem
    m(1066, 2, 0x3), // 276 core/v1.LimitRangeList
    m(1068, 1, 0x1), // 277 core/v1.LimitRangeSpec
    m(1069, 3, 0x3), // 278 core/v1.LinuxContainerUser
    m(1072, 2, 0x3), // 279 core/v1.List
    m(1074, 4, 0x0), // 280 core/v1.LoadBalancerIngress
    m(1078, 1, 0x0), // 281 core/v1.LoadBalancerStatus
    m(1079, 1, 0x0), // 282 core/v1.LocalObjectReference
    m(1080, 2, 0x1), // 283 core/v1.LocalVolumeSource
    m(1082, 2, 0x2), // 284 core/v1.ModifyVolumeStatus
    m(1084, 3, 0x3), // 285 core/v1.NFSVolumeSource
    m(1087, 3, 0x7), // 286 core/v1.Namespace
    m(1090, 5, 0x7), // 287 core/v1.NamespaceCondition
    m(1095, 2, 0x3), // 288 core/v1.NamespaceList
    m(1097, 1, 0x0), // 289 core/v1.NamespaceSpec
    m(1098, 2, 0x0), // 290 core/v1.NamespaceStatus
    m(1100, 3, 0x7), // 291 core/v1.Node
    m(1103, 2, 0x3), // 292 core/v1.NodeAddress
    m(1105, 2, 0x0), // 293 core/v1.NodeAffinity
    m(1107, 2, 0x3), // 294 core/v1.NodeAllocatableMappedResources
    m(1109, 3, 0x1), // 295 core/v1.NodeAllocatableOverheadResources
    m(1112, 5, 0x1), // 296 core/v1.NodeAllocatableResourceClaimStatus
    m(1117, 6, 0xf), // 297 core/v1.NodeCondition
    m(1123, 1, 0x0), // 298 core/v1.NodeConfigSource
    m(1124, 4, 0x0), // 299 core/v1.NodeConfigStatus
    m(1128, 1, 0x1), // 300 core/v1.NodeDaemonEndpoints
    m(1129, 1, 0x0), // 301 core/v1.NodeFeatures
    m(1130, 2, 0x3), // 302 core/v1.NodeList
    m(1132, 1, 0x0), // 303 core/v1.NodePodPreemptionPolicy
    m(1133, 1, 0x0), // 304 core/v1.NodeProxyOptions
    m(1134, 2, 0x1), // 305 core/v1.NodeRuntimeHandler
    m(1136, 2, 0x0), // 306 core/v1.NodeRuntimeHandlerFeatures
    m(1138, 1, 0x1), // 307 core/v1.NodeSelector
    m(1139, 3, 0x3), // 308 core/v1.NodeSelectorRequirement
    m(1142, 2, 0x0), // 309 core/v1.NodeSelectorTerm
    m(1144, 8, 0x0), // 310 core/v1.NodeSpec
    m(1152, 14, 0x60), // 311 core/v1.NodeStatus
    m(1166, 1, 0x0), // 312 core/v1.NodeSwapStatus
    m(1167, 12, 0x3ff), // 313 core/v1.NodeSystemInfo
    m(1179, 2, 0x2), // 314 core/v1.ObjectFieldSelector
    m(1181, 7, 0x0), // 315 core/v1.ObjectReference
    m(1188, 3, 0x7), // 316 core/v1.PersistentVolume
    m(1191, 3, 0x7), // 317 core/v1.PersistentVolumeClaim
    m(1194, 2, 0x3), // 318 core/v1.PersistentVolumeClaimList
    m(1196, 9, 0x2), // 319 core/v1.PersistentVolumeClaimSpec
    m(1205, 9, 0x0), // 320 core/v1.PersistentVolumeClaimStatus
    m(1214, 2, 0x3), // 321 core/v1.PersistentVolumeClaimTemplate
    m(1216, 2, 0x1), // 322 core/v1.PersistentVolumeClaimVolumeSource
    m(1218, 2, 0x3), // 323 core/v1.PersistentVolumeList
    m(1220, 22, 0x0), // 324 core/v1.PersistentVolumeSource
    m(1242, 10, 0x2), // 325 core/v1.PersistentVolumeSpec
    m(1252, 4, 0x0), // 326 core/v1.PersistentVolumeStatus
    m(1256, 2, 0x1), // 327 core/v1.PhotonPersistentDiskVolumeSource
    m(1258, 3, 0x7), // 328 core/v1.Pod
    m(1261, 2, 0x0), // 329 core/v1.PodAffinity
    m(1263, 6, 0x4), // 330 core/v1.PodAffinityTerm
    m(1269, 5, 0x0), // 331 core/v1.PodAttachOptions
    m(1274, 8, 0x0), // 332 core/v1.PodCertificateProjection
    m(1282, 7, 0xf), // 333 core/v1.PodCondition
    m(1289, 3, 0x0), // 334 core/v1.PodDNSConfig
    m(1292, 2, 0x0), // 335 core/v1.PodDNSConfigOption
    m(1294, 6, 0x20), // 336 core/v1.PodExecOptions
    m(1300, 2, 0x3), // 337 core/v1.PodExtendedResourceClaimStatus
    m(1302, 2, 0x3), // 338 core/v1.PodList
    m(1304, 10, 0x0), // 339 core/v1.PodLogOptions
    m(1314, 1, 0x1), // 340 core/v1.PodOS
    m(1315, 1, 0x0), // 341 core/v1.PodPortForwardOptions
    m(1316, 1, 0x1), // 342 core/v1.PodReadinessGate
    m(1317, 3, 0x1), // 343 core/v1.PodResourceClaim
    m(1320, 2, 0x1), // 344 core/v1.PodResourceClaimStatus
    m(1322, 1, 0x0), // 345 core/v1.PodSchedulingGroup
    m(1323, 13, 0x0), // 346 core/v1.PodSecurityContext
    m(1336, 44, 0x2), // 347 core/v1.PodSpec
    m(1380, 22, 0x0), // 348 core/v1.PodStatus
    m(1402, 2, 0x3), // 349 core/v1.PodStatusResult
    m(1404, 2, 0x3), // 350 core/v1.PodTemplate
    m(1406, 2, 0x3), // 351 core/v1.PodTemplateList
    m(1408, 2, 0x3), // 352 core/v1.PodTemplateSpec
    m(1410, 3, 0x5), // 353 core/v1.PodVolumeHealth
    m(1413, 3, 0x3), // 354 core/v1.PortStatus
    m(1416, 3, 0x1), // 355 core/v1.PortworxVolumeSource
    m(1419, 2, 0x3), // 356 core/v1.PreferredSchedulingTerm
    m(1421, 7, 0x1), // 357 core/v1.Probe
    m(1428, 4, 0x0), // 358 core/v1.ProbeHandler
    m(1432, 3, 0x1), // 359 core/v1.ProjectedVolumeSource
    m(1435, 6, 0x3), // 360 core/v1.QuobyteVolumeSource
    m(1441, 8, 0x3), // 361 core/v1.RBDPersistentVolumeSource
    m(1449, 8, 0x3), // 362 core/v1.RBDVolumeSource
    m(1457, 3, 0x7), // 363 core/v1.RangeAllocation
    m(1460, 3, 0x7), // 364 core/v1.ReplicationController
    m(1463, 2, 0x3), // 365 core/v1.ReplicationControllerList
    m(1465, 4, 0x0), // 366 core/v1.ReplicationControllerSpec
    m(1469, 6, 0x1), // 367 core/v1.ReplicationControllerStatus
    m(1475, 2, 0x1), // 368 core/v1.ResourceClaim
    m(1477, 3, 0x6), // 369 core/v1.ResourceFieldSelector
    m(1480, 3, 0x1), // 370 core/v1.ResourceHealth
    m(1483, 3, 0x7), // 371 core/v1.ResourceQuota
    m(1486, 2, 0x3), // 372 core/v1.ResourceQuotaList
    m(1488, 3, 0x0), // 373 core/v1.ResourceQuotaSpec
    m(1491, 2, 0x0), // 374 core/v1.ResourceQuotaStatus
    m(1493, 3, 0x0), // 375 core/v1.ResourceRequirements
    m(1496, 2, 0x1), // 376 core/v1.ResourceStatus
    m(1498, 4, 0x0), // 377 core/v1.SELinuxOptions
    m(1502, 10, 0x7), // 378 core/v1.ScaleIOPersistentVolumeSource
    m(1512, 10, 0x7), // 379 core/v1.ScaleIOVolumeSource
    m(1522, 1, 0x0), // 380 core/v1.ScopeSelector
    m(1523, 3, 0x3), // 381 core/v1.ScopedResourceSelectorRequirement
    m(1526, 5, 0x1), // 382 core/v1.Secret
    m(1531, 2, 0x3), // 383 core/v1.SecretList
    m(1533, 2, 0x0), // 384 core/v1.SecretReference
    m(1535, 5, 0x0), // 385 core/v1.SecretVolumeSource
    m(1540, 12, 0x0), // 386 core/v1.SecurityContext
    m(1552, 1, 0x1), // 387 core/v1.SerializedReference
    m(1553, 3, 0x7), // 388 core/v1.Service
    m(1556, 4, 0x1), // 389 core/v1.ServiceAccount
    m(1560, 2, 0x3), // 390 core/v1.ServiceAccountList
    m(1562, 4, 0x4), // 391 core/v1.ServiceAccountTokenProjection
    m(1566, 2, 0x3), // 392 core/v1.ServiceList
    m(1568, 6, 0xc), // 393 core/v1.ServicePort
    m(1574, 20, 0x0), // 394 core/v1.ServiceSpec
    m(1594, 2, 0x1), // 395 core/v1.ServiceStatus
    m(1596, 1, 0x0), // 396 core/v1.SessionAffinityConfig
    m(1597, 1, 0x1), // 397 core/v1.SleepAction
    m(1598, 5, 0x0), // 398 core/v1.StorageOSPersistentVolumeSource
    m(1603, 5, 0x0), // 399 core/v1.StorageOSVolumeSource
    m(1608, 2, 0x1), // 400 core/v1.TCPSocketAction
    m(1610, 4, 0x5), // 401 core/v1.Taint
    m(1614, 5, 0x0), // 402 core/v1.Toleration
    m(1619, 2, 0x3), // 403 core/v1.TopologySelectorLabelRequirement
    m(1621, 1, 0x0), // 404 core/v1.TopologySelectorTerm
    m(1622, 8, 0x7), // 405 core/v1.TopologySpreadConstraint
    m(1630, 3, 0x7), // 406 core/v1.TypedLocalObjectReference
    m(1633, 4, 0x7), // 407 core/v1.TypedObjectReference
    m(1637, 2, 0x3), // 408 core/v1.Volume
    m(1639, 3, 0x3), // 409 core/v1.VolumeHealthCondition
    m(1642, 2, 0x2), // 410 core/v1.VolumeHealthStatus
    m(1644, 8, 0x5), // 411 core/v1.VolumeMount
    m(1652, 5, 0x3), // 412 core/v1.VolumeMountStatus
    m(1657, 1, 0x0), // 413 core/v1.VolumeNodeAffinity
    m(1658, 6, 0x0), // 414 core/v1.VolumeProjection
    m(1664, 2, 0x0), // 415 core/v1.VolumeResourceRequirements
    m(1666, 30, 0x0), // 416 core/v1.VolumeSource
    m(1696, 1, 0x0), // 417 core/v1.VolumeStatus
    m(1697, 4, 0x1), // 418 core/v1.VsphereVirtualDiskVolumeSource
    m(1701, 2, 0x3), // 419 core/v1.WeightedPodAffinityTerm
    m(1703, 4, 0x0), // 420 core/v1.WindowsSecurityContextOptions
    m(1707, 3, 0x3), // 421 core/v1.WorkloadReference
    m(1710, 8, 0x3), // 422 discovery/v1.Endpoint
    m(1718, 3, 0x0), // 423 discovery/v1.EndpointConditions
    m(1721, 2, 0x0), // 424 discovery/v1.EndpointHints
    m(1723, 4, 0x0), // 425 discovery/v1.EndpointPort
    m(1727, 4, 0xf), // 426 discovery/v1.EndpointSlice
    m(1731, 2, 0x3), // 427 discovery/v1.EndpointSliceList
    m(1733, 7, 0x3), // 428 discovery/v1beta1.Endpoint
    m(1740, 4, 0xf), // 429 discovery/v1beta1.EndpointSlice
    m(1744, 2, 0x3), // 430 discovery/v1beta1.EndpointSliceList
    m(1746, 15, 0x3883), // 431 events/v1.Event
    m(1761, 2, 0x3), // 432 events/v1.EventList
    m(1763, 2, 0x3), // 433 events/v1.EventSeries
    m(1765, 3, 0x7), // 434 extensions/v1beta1.DaemonSet
    m(1768, 2, 0x3), // 435 extensions/v1beta1.DaemonSetList
    m(1770, 6, 0x6), // 436 extensions/v1beta1.DaemonSetSpec
    m(1776, 3, 0x2), // 437 extensions/v1beta1.HTTPIngressPath
    m(1779, 1, 0x1), // 438 extensions/v1beta1.HTTPIngressRuleValue
    m(1780, 2, 0x1), // 439 extensions/v1beta1.IPBlock
    m(1782, 3, 0x7), // 440 extensions/v1beta1.Ingress
    m(1785, 3, 0x2), // 441 extensions/v1beta1.IngressBackend
    m(1788, 2, 0x3), // 442 extensions/v1beta1.IngressList
    m(1790, 3, 0x0), // 443 extensions/v1beta1.IngressLoadBalancerIngress
    m(1793, 1, 0x0), // 444 extensions/v1beta1.IngressLoadBalancerStatus
    m(1794, 2, 0x2), // 445 extensions/v1beta1.IngressRule
    m(1796, 1, 0x0), // 446 extensions/v1beta1.IngressRuleValue
    m(1797, 4, 0x0), // 447 extensions/v1beta1.IngressSpec
    m(1801, 1, 0x1), // 448 extensions/v1beta1.IngressStatus
    m(1802, 2, 0x0), // 449 extensions/v1beta1.IngressTLS
    m(1804, 2, 0x3), // 450 extensions/v1beta1.NetworkPolicy
    m(1806, 2, 0x0), // 451 extensions/v1beta1.NetworkPolicyEgressRule
    m(1808, 2, 0x0), // 452 extensions/v1beta1.NetworkPolicyIngressRule
    m(1810, 2, 0x3), // 453 extensions/v1beta1.NetworkPolicyList
    m(1812, 3, 0x0), // 454 extensions/v1beta1.NetworkPolicyPeer
    m(1815, 3, 0x0), // 455 extensions/v1beta1.NetworkPolicyPort
    m(1818, 4, 0x1), // 456 extensions/v1beta1.NetworkPolicySpec
    m(1822, 3, 0x7), // 457 extensions/v1beta1.ReplicaSet
    m(1825, 2, 0x3), // 458 extensions/v1beta1.ReplicaSetList
    m(1827, 4, 0x4), // 459 extensions/v1beta1.ReplicaSetSpec
    m(1831, 2, 0x0), // 460 flowcontrol/v1.ExemptPriorityLevelConfiguration
    m(1833, 1, 0x1), // 461 flowcontrol/v1.FlowDistinguisherMethod
    m(1834, 3, 0x7), // 462 flowcontrol/v1.FlowSchema
    m(1837, 5, 0x4), // 463 flowcontrol/v1.FlowSchemaCondition
    m(1842, 2, 0x3), // 464 flowcontrol/v1.FlowSchemaList
    m(1844, 4, 0x3), // 465 flowcontrol/v1.FlowSchemaSpec
    m(1848, 1, 0x0), // 466 flowcontrol/v1.FlowSchemaStatus
    m(1849, 2, 0x1), // 467 flowcontrol/v1.LimitResponse
    m(1851, 4, 0x3), // 468 flowcontrol/v1.LimitedPriorityLevelConfiguration
    m(1855, 2, 0x3), // 469 flowcontrol/v1.NonResourcePolicyRule
    m(1857, 3, 0x1), // 470 flowcontrol/v1.PolicyRulesWithSubjects
    m(1860, 3, 0x7), // 471 flowcontrol/v1.PriorityLevelConfiguration
    m(1863, 2, 0x3), // 472 flowcontrol/v1.PriorityLevelConfigurationList
    m(1865, 3, 0x1), // 473 flowcontrol/v1.PriorityLevelConfigurationSpec
    m(1868, 3, 0x7), // 474 flowcontrol/v1.QueuingConfiguration
    m(1871, 5, 0x17), // 475 flowcontrol/v1.ResourcePolicyRule
    m(1876, 2, 0x3), // 476 flowcontrol/v1.ServiceAccountSubject
    m(1878, 4, 0x1), // 477 flowcontrol/v1.Subject
    m(1882, 4, 0x3), // 478 flowcontrol/v1beta1.LimitedPriorityLevelConfiguration
    m(1886, 3, 0x7), // 479 flowcontrol/v1beta1.PriorityLevelConfiguration
    m(1889, 2, 0x3), // 480 flowcontrol/v1beta1.PriorityLevelConfigurationList
    m(1891, 3, 0x1), // 481 flowcontrol/v1beta1.PriorityLevelConfigurationSpec
    m(1894, 4, 0x3), // 482 flowcontrol/v1beta3.LimitedPriorityLevelConfiguration
    m(1898, 3, 0x7), // 483 flowcontrol/v1beta3.PriorityLevelConfiguration
    m(1901, 2, 0x3), // 484 flowcontrol/v1beta3.PriorityLevelConfigurationList
    m(1903, 3, 0x1), // 485 flowcontrol/v1beta3.PriorityLevelConfigurationSpec
    m(1906, 3, 0x7), // 486 imagepolicy/v1alpha1.ImageReview
    m(1909, 1, 0x0), // 487 imagepolicy/v1alpha1.ImageReviewContainerSpec
    m(1910, 3, 0x0), // 488 imagepolicy/v1alpha1.ImageReviewSpec
    m(1913, 3, 0x1), // 489 imagepolicy/v1alpha1.ImageReviewStatus
    m(1916, 3, 0x7), // 490 lifecycle/v1alpha1.Eviction
    m(1919, 2, 0x3), // 491 lifecycle/v1alpha1.EvictionList
    m(1921, 2, 0x3), // 492 lifecycle/v1alpha1.EvictionPodReference
    m(1923, 3, 0x7), // 493 lifecycle/v1alpha1.EvictionRequest
    m(1926, 2, 0x3), // 494 lifecycle/v1alpha1.EvictionRequestList
    m(1928, 3, 0x7), // 495 lifecycle/v1alpha1.EvictionRequestSpec
    m(1931, 2, 0x0), // 496 lifecycle/v1alpha1.EvictionRequestStatus
    m(1933, 1, 0x0), // 497 lifecycle/v1alpha1.EvictionRequestTarget
    m(1934, 1, 0x1), // 498 lifecycle/v1alpha1.EvictionSpec
    m(1935, 5, 0x0), // 499 lifecycle/v1alpha1.EvictionStatus
    m(1940, 2, 0x3), // 500 lifecycle/v1alpha1.Requester
    m(1942, 6, 0x1), // 501 lifecycle/v1alpha1.ResponderStatus
    m(1948, 3, 0x7), // 502 lifecycle/v1alpha1.TargetResponder
    m(1951, 3, 0x6), // 503 networking/v1.HTTPIngressPath
    m(1954, 1, 0x1), // 504 networking/v1.HTTPIngressRuleValue
    m(1955, 2, 0x3), // 505 networking/v1.IPAddress
    m(1957, 2, 0x3), // 506 networking/v1.IPAddressList
    m(1959, 1, 0x0), // 507 networking/v1.IPAddressSpec
    m(1960, 3, 0x7), // 508 networking/v1.Ingress
    m(1963, 2, 0x0), // 509 networking/v1.IngressBackend
    m(1965, 2, 0x3), // 510 networking/v1.IngressClass
    m(1967, 2, 0x3), // 511 networking/v1.IngressClassList
    m(1969, 5, 0xe), // 512 networking/v1.IngressClassParametersReference
    m(1974, 2, 0x0), // 513 networking/v1.IngressClassSpec
    m(1976, 2, 0x3), // 514 networking/v1.IngressList
    m(1978, 2, 0x2), // 515 networking/v1.IngressRule
    m(1980, 1, 0x0), // 516 networking/v1.IngressRuleValue
    m(1981, 2, 0x3), // 517 networking/v1.IngressServiceBackend
    m(1983, 4, 0x0), // 518 networking/v1.IngressSpec
    m(1987, 4, 0x0), // 519 networking/v1.ParentReference
    m(1991, 2, 0x0), // 520 networking/v1.ServiceBackendPort
    m(1993, 3, 0x7), // 521 networking/v1.ServiceCIDR
    m(1996, 2, 0x3), // 522 networking/v1.ServiceCIDRList
    m(1998, 1, 0x0), // 523 networking/v1.ServiceCIDRSpec
    m(1999, 1, 0x0), // 524 networking/v1.ServiceCIDRStatus
    m(2000, 1, 0x0), // 525 node/v1.Overhead
    m(2001, 4, 0x3), // 526 node/v1.RuntimeClass
    m(2005, 2, 0x3), // 527 node/v1.RuntimeClassList
    m(2007, 2, 0x0), // 528 node/v1.Scheduling
    m(2009, 2, 0x3), // 529 node/v1alpha1.RuntimeClass
    m(2011, 2, 0x3), // 530 node/v1alpha1.RuntimeClassList
    m(2013, 3, 0x1), // 531 node/v1alpha1.RuntimeClassSpec
    m(2016, 2, 0x1), // 532 policy/v1.Eviction
    m(2018, 3, 0x7), // 533 policy/v1.PodDisruptionBudget
    m(2021, 2, 0x3), // 534 policy/v1.PodDisruptionBudgetList
    m(2023, 4, 0x0), // 535 policy/v1.PodDisruptionBudgetSpec
    m(2027, 7, 0x3c), // 536 policy/v1.PodDisruptionBudgetStatus
    m(2034, 1, 0x0), // 537 rbac/v1.AggregationRule
    m(2035, 3, 0x3), // 538 rbac/v1.ClusterRole
    m(2038, 3, 0x5), // 539 rbac/v1.ClusterRoleBinding
    m(2041, 2, 0x3), // 540 rbac/v1.ClusterRoleBindingList
    m(2043, 2, 0x3), // 541 rbac/v1.ClusterRoleList
    m(2045, 5, 0x1), // 542 rbac/v1.PolicyRule
    m(2050, 2, 0x3), // 543 rbac/v1.Role
    m(2052, 2, 0x3), // 544 rbac/v1.RoleList
    m(2054, 3, 0x7), // 545 rbac/v1.RoleRef
    m(2057, 4, 0x5), // 546 rbac/v1.Subject
    m(2061, 3, 0x3), // 547 rbac/v1alpha1.ClusterRole
    m(2064, 3, 0x5), // 548 rbac/v1alpha1.ClusterRoleBinding
    m(2067, 2, 0x3), // 549 rbac/v1alpha1.ClusterRoleBindingList
    m(2069, 2, 0x3), // 550 rbac/v1alpha1.ClusterRoleList
    m(2071, 5, 0x1), // 551 rbac/v1alpha1.PolicyRule
    m(2076, 2, 0x3), // 552 rbac/v1alpha1.Role
    m(2078, 2, 0x3), // 553 rbac/v1alpha1.RoleList
    m(2080, 4, 0x5), // 554 rbac/v1alpha1.Subject
    m(2084, 7, 0xf), // 555 resource/v1.AllocatedDeviceStatus
    m(2091, 3, 0x1), // 556 resource/v1.AllocationResult
    m(2094, 1, 0x1), // 557 resource/v1.CELDeviceSelector
    m(2095, 3, 0x1), // 558 resource/v1.CapacityRequestPolicy
    m(2098, 3, 0x0), // 559 resource/v1.CapacityRequestPolicyRange
    m(2101, 1, 0x0), // 560 resource/v1.CapacityRequirements
    m(2102, 1, 0x1), // 561 resource/v1.Counter
    m(2103, 2, 0x1), // 562 resource/v1.CounterSet
    m(2105, 14, 0x1), // 563 resource/v1.Device
    m(2119, 3, 0x5), // 564 resource/v1.DeviceAllocationConfiguration
    m(2122, 2, 0x0), // 565 resource/v1.DeviceAllocationResult
    m(2124, 8, 0x0), // 566 resource/v1.DeviceAttribute
    m(2132, 2, 0x1), // 567 resource/v1.DeviceCapacity
    m(2134, 3, 0x1), // 568 resource/v1.DeviceClaim
    m(2137, 2, 0x2), // 569 resource/v1.DeviceClaimConfiguration
    m(2139, 2, 0x3), // 570 resource/v1.DeviceClass
    m(2141, 1, 0x1), // 571 resource/v1.DeviceClassConfiguration
    m(2142, 2, 0x3), // 572 resource/v1.DeviceClassList
    m(2144, 3, 0x0), // 573 resource/v1.DeviceClassSpec
    m(2147, 1, 0x0), // 574 resource/v1.DeviceConfiguration
    m(2148, 3, 0x0), // 575 resource/v1.DeviceConstraint
    m(2151, 3, 0x1), // 576 resource/v1.DeviceCounterConsumption
    m(2154, 3, 0x1), // 577 resource/v1.DeviceRequest
    m(2157, 11, 0xf), // 578 resource/v1.DeviceRequestAllocationResult
    m(2168, 1, 0x0), // 579 resource/v1.DeviceSelector
    m(2169, 8, 0x3), // 580 resource/v1.DeviceSubRequest
    m(2177, 3, 0x7), // 581 resource/v1.DeviceTaintRule
    m(2180, 2, 0x3), // 582 resource/v1.DeviceTaintRuleList
    m(2182, 2, 0x2), // 583 resource/v1.DeviceTaintRuleSpec
    m(2184, 3, 0x0), // 584 resource/v1.DeviceTaintSelector
    m(2187, 8, 0x1), // 585 resource/v1.ExactDeviceRequest
    m(2195, 3, 0x0), // 586 resource/v1.NetworkDeviceData
    m(2198, 3, 0x0), // 587 resource/v1.NodeAllocatableMapping
    m(2201, 2, 0x0), // 588 resource/v1.NodeAllocatableOverhead
    m(2203, 2, 0x0), // 589 resource/v1.NodeAllocatableResource
    m(2205, 2, 0x0), // 590 resource/v1.NodeAllocatableResourceMapping
    m(2207, 2, 0x3), // 591 resource/v1.OpaqueDeviceConfiguration
    m(2209, 3, 0x7), // 592 resource/v1.ResourceClaim
    m(2212, 4, 0xe), // 593 resource/v1.ResourceClaimConsumerReference
    m(2216, 2, 0x3), // 594 resource/v1.ResourceClaimList
    m(2218, 1, 0x1), // 595 resource/v1.ResourceClaimSpec
    m(2219, 3, 0x0), // 596 resource/v1.ResourceClaimStatus
    m(2222, 2, 0x3), // 597 resource/v1.ResourceClaimTemplate
    m(2224, 2, 0x3), // 598 resource/v1.ResourceClaimTemplateList
    m(2226, 2, 0x3), // 599 resource/v1.ResourceClaimTemplateSpec
    m(2228, 3, 0x7), // 600 resource/v1.ResourcePool
    m(2231, 2, 0x3), // 601 resource/v1.ResourceSlice
    m(2233, 2, 0x3), // 602 resource/v1.ResourceSliceList
    m(2235, 10, 0x3), // 603 resource/v1.ResourceSliceSpec
    m(2245, 6, 0xf), // 604 resource/v1alpha3.AllocatedDeviceStatus
    m(2251, 2, 0x1), // 605 resource/v1alpha3.AllocationResult
    m(2253, 7, 0x0), // 606 resource/v1alpha3.BasicDevice
    m(2260, 2, 0x1), // 607 resource/v1alpha3.Device
    m(2262, 2, 0x0), // 608 resource/v1alpha3.DeviceAllocationResult
    m(2264, 4, 0x0), // 609 resource/v1alpha3.DeviceAttribute
    m(2268, 3, 0x1), // 610 resource/v1alpha3.DeviceClaim
    m(2271, 2, 0x3), // 611 resource/v1alpha3.DeviceClass
    m(2273, 2, 0x3), // 612 resource/v1alpha3.DeviceClassList
    m(2275, 2, 0x0), // 613 resource/v1alpha3.DeviceClassSpec
    m(2277, 2, 0x0), // 614 resource/v1alpha3.DeviceConstraint
    m(2279, 2, 0x1), // 615 resource/v1alpha3.DeviceCounterConsumption
    m(2281, 8, 0x3), // 616 resource/v1alpha3.DeviceRequest
    m(2289, 6, 0x1f), // 617 resource/v1alpha3.DeviceRequestAllocationResult
    m(2295, 6, 0x3), // 618 resource/v1alpha3.DeviceSubRequest
    m(2301, 3, 0x3), // 619 resource/v1alpha3.DeviceTaintRule
    m(2304, 2, 0x3), // 620 resource/v1alpha3.DeviceTaintRuleList
    m(2306, 2, 0x2), // 621 resource/v1alpha3.DeviceTaintRuleSpec
    m(2308, 5, 0x0), // 622 resource/v1alpha3.DeviceTaintSelector
    m(2313, 4, 0x0), // 623 resource/v1alpha3.PartitionTypeStatus
    m(2317, 12, 0x100), // 624 resource/v1alpha3.PoolStatus
    m(2329, 3, 0x7), // 625 resource/v1alpha3.ResourceClaim
    m(2332, 2, 0x3), // 626 resource/v1alpha3.ResourceClaimList
    m(2334, 1, 0x1), // 627 resource/v1alpha3.ResourceClaimSpec
    m(2335, 3, 0x0), // 628 resource/v1alpha3.ResourceClaimStatus
    m(2338, 2, 0x3), // 629 resource/v1alpha3.ResourceClaimTemplate
    m(2340, 2, 0x3), // 630 resource/v1alpha3.ResourceClaimTemplateList
    m(2342, 2, 0x3), // 631 resource/v1alpha3.ResourceClaimTemplateSpec
    m(2344, 3, 0x3), // 632 resource/v1alpha3.ResourcePoolStatusRequest
    m(2347, 2, 0x3), // 633 resource/v1alpha3.ResourcePoolStatusRequestList
    m(2349, 4, 0x1), // 634 resource/v1alpha3.ResourcePoolStatusRequestSpec
    m(2353, 3, 0x0), // 635 resource/v1alpha3.ResourcePoolStatusRequestStatus
    m(2356, 2, 0x3), // 636 resource/v1alpha3.ResourceSlice
    m(2358, 2, 0x3), // 637 resource/v1alpha3.ResourceSliceList
    m(2360, 8, 0x23), // 638 resource/v1alpha3.ResourceSliceSpec
    m(2368, 4, 0x0), // 639 resource/v1alpha3.ShareableCapacityStatus
    m(2372, 3, 0x0), // 640 resource/v1alpha3.ShareableSummaryStatus
    m(2375, 13, 0x0), // 641 resource/v1beta1.BasicDevice
    m(2388, 2, 0x1), // 642 resource/v1beta1.Device
    m(2390, 3, 0x1), // 643 resource/v1beta1.DeviceClaim
    m(2393, 10, 0x3), // 644 resource/v1beta1.DeviceRequest
    m(2403, 8, 0x3), // 645 resource/v1beta1.DeviceSubRequest
    m(2411, 3, 0x7), // 646 resource/v1beta1.ResourceClaim
    m(2414, 2, 0x3), // 647 resource/v1beta1.ResourceClaimList
    m(2416, 1, 0x1), // 648 resource/v1beta1.ResourceClaimSpec
    m(2417, 2, 0x3), // 649 resource/v1beta1.ResourceClaimTemplate
    m(2419, 2, 0x3), // 650 resource/v1beta1.ResourceClaimTemplateList
    m(2421, 2, 0x3), // 651 resource/v1beta1.ResourceClaimTemplateSpec
    m(2423, 2, 0x3), // 652 resource/v1beta1.ResourceSlice
    m(2425, 2, 0x3), // 653 resource/v1beta1.ResourceSliceList
    m(2427, 10, 0x3), // 654 resource/v1beta1.ResourceSliceSpec
    m(2437, 5, 0x3), // 655 scheduling/v1.PriorityClass
    m(2442, 2, 0x3), // 656 scheduling/v1.PriorityClassList
    m(2444, 1, 0x1), // 657 scheduling/v1alpha1.GangSchedulingPolicy
    m(2445, 2, 0x3), // 658 scheduling/v1alpha1.PodGroup
    m(2447, 2, 0x0), // 659 scheduling/v1alpha1.PodGroupPolicy
    m(2449, 3, 0x6), // 660 scheduling/v1alpha1.TypedLocalObjectReference
    m(2452, 2, 0x3), // 661 scheduling/v1alpha1.Workload
    m(2454, 2, 0x3), // 662 scheduling/v1alpha1.WorkloadList
    m(2456, 2, 0x2), // 663 scheduling/v1alpha1.WorkloadSpec
    m(2458, 3, 0x7), // 664 scheduling/v1alpha2.PodGroup
    m(2461, 2, 0x3), // 665 scheduling/v1alpha2.PodGroupList
    m(2463, 3, 0x1), // 666 scheduling/v1alpha2.PodGroupResourceClaim
    m(2466, 1, 0x0), // 667 scheduling/v1alpha2.PodGroupSchedulingConstraints
    m(2467, 2, 0x0), // 668 scheduling/v1alpha2.PodGroupSchedulingPolicy
    m(2469, 7, 0x3), // 669 scheduling/v1alpha2.PodGroupSpec
    m(2476, 2, 0x0), // 670 scheduling/v1alpha2.PodGroupStatus
    m(2478, 7, 0x7), // 671 scheduling/v1alpha2.PodGroupTemplate
    m(2485, 1, 0x1), // 672 scheduling/v1alpha2.PodGroupTemplateReference
    m(2486, 1, 0x1), // 673 scheduling/v1alpha2.TopologyConstraint
    m(2487, 2, 0x3), // 674 scheduling/v1alpha2.Workload
    m(2489, 2, 0x3), // 675 scheduling/v1alpha2.WorkloadList
    m(2491, 2, 0x3), // 676 scheduling/v1alpha2.WorkloadPodGroupTemplateReference
    m(2493, 2, 0x2), // 677 scheduling/v1alpha2.WorkloadSpec
    m(2495, 2, 0x0), // 678 scheduling/v1alpha3.CompositeDisruptionMode
    m(2497, 1, 0x1), // 679 scheduling/v1alpha3.CompositeGangSchedulingPolicy
    m(2498, 3, 0x7), // 680 scheduling/v1alpha3.CompositePodGroup
    m(2501, 2, 0x3), // 681 scheduling/v1alpha3.CompositePodGroupList
    m(2503, 2, 0x0), // 682 scheduling/v1alpha3.CompositePodGroupSchedulingPolicy
    m(2505, 8, 0x6), // 683 scheduling/v1alpha3.CompositePodGroupSpec
    m(2513, 9, 0x3), // 684 scheduling/v1alpha3.CompositePodGroupTemplate
    m(2522, 3, 0x7), // 685 scheduling/v1alpha3.PodGroup
    m(2525, 2, 0x3), // 686 scheduling/v1alpha3.PodGroupList
    m(2527, 9, 0x4), // 687 scheduling/v1alpha3.PodGroupSpec
    m(2536, 8, 0x7), // 688 scheduling/v1alpha3.PodGroupTemplate
    m(2544, 2, 0x3), // 689 scheduling/v1alpha3.Workload
    m(2546, 2, 0x3), // 690 scheduling/v1alpha3.WorkloadList
    m(2548, 1, 0x0), // 691 scheduling/v1alpha3.WorkloadPodGroupGangSchedulingPolicy
    m(2549, 2, 0x0), // 692 scheduling/v1alpha3.WorkloadPodGroupSchedulingPolicy
    m(2551, 2, 0x3), // 693 scheduling/v1alpha3.WorkloadReference
    m(2553, 3, 0x2), // 694 scheduling/v1alpha3.WorkloadSpec
    m(2556, 2, 0x3), // 695 storage/v1.CSIDriver
    m(2558, 2, 0x3), // 696 storage/v1.CSIDriverList
    m(2560, 11, 0x0), // 697 storage/v1.CSIDriverSpec
    m(2571, 3, 0x3), // 698 storage/v1.CSINode
    m(2574, 4, 0x7), // 699 storage/v1.CSINodeDriver
    m(2578, 2, 0x3), // 700 storage/v1.CSINodeList
    m(2580, 1, 0x1), // 701 storage/v1.CSINodeSpec
    m(2581, 1, 0x0), // 702 storage/v1.CSINodeStatus
    m(2582, 5, 0x5), // 703 storage/v1.CSIStorageCapacity
    m(2587, 2, 0x3), // 704 storage/v1.CSIStorageCapacityList
    m(2589, 8, 0x3), // 705 storage/v1.StorageClass
    m(2597, 2, 0x3), // 706 storage/v1.StorageClassList
    m(2599, 2, 0x1), // 707 storage/v1.StorageHealth
    m(2601, 6, 0x23), // 708 storage/v1.StorageHealthCondition
    m(2607, 2, 0x1), // 709 storage/v1.TokenRequest
    m(2609, 3, 0x7), // 710 storage/v1.VolumeAttachment
    m(2612, 2, 0x3), // 711 storage/v1.VolumeAttachmentList
    m(2614, 2, 0x0), // 712 storage/v1.VolumeAttachmentSource
    m(2616, 3, 0x7), // 713 storage/v1.VolumeAttachmentSpec
    m(2619, 4, 0x1), // 714 storage/v1.VolumeAttachmentStatus
    m(2623, 3, 0x3), // 715 storage/v1.VolumeAttributesClass
    m(2626, 2, 0x3), // 716 storage/v1.VolumeAttributesClassList
    m(2628, 3, 0x1), // 717 storage/v1.VolumeError
    m(2631, 1, 0x0), // 718 storage/v1.VolumeNodeResources
    m(2632, 3, 0x7), // 719 storagemigration/v1.StorageVersionMigration
    m(2635, 2, 0x3), // 720 storagemigration/v1.StorageVersionMigrationList
    m(2637, 1, 0x1), // 721 storagemigration/v1.StorageVersionMigrationSpec
    m(2638, 2, 0x0), // 722 storagemigration/v1.StorageVersionMigrationStatus
    m(2640, 3, 0x0), // 723 storagemigration/v1alpha1.GroupVersionResource
    m(2643, 5, 0x7), // 724 storagemigration/v1alpha1.MigrationCondition
    m(2648, 3, 0x7), // 725 storagemigration/v1alpha1.StorageVersionMigration
    m(2651, 2, 0x3), // 726 storagemigration/v1alpha1.StorageVersionMigrationList
    m(2653, 2, 0x1), // 727 storagemigration/v1alpha1.StorageVersionMigrationSpec
    m(2655, 2, 0x0), // 728 storagemigration/v1alpha1.StorageVersionMigrationStatus
    m(2657, 3, 0x7), // 729 apiextensions/v1.ConversionRequest
    m(2660, 3, 0x7), // 730 apiextensions/v1.ConversionResponse
    m(2663, 2, 0x0), // 731 apiextensions/v1.ConversionReview
    m(2665, 6, 0x23), // 732 apiextensions/v1.CustomResourceColumnDefinition
    m(2671, 2, 0x1), // 733 apiextensions/v1.CustomResourceConversion
    m(2673, 3, 0x7), // 734 apiextensions/v1.CustomResourceDefinition
    m(2676, 6, 0x7), // 735 apiextensions/v1.CustomResourceDefinitionCondition
    m(2682, 2, 0x3), // 736 apiextensions/v1.CustomResourceDefinitionList
    m(2684, 6, 0x9), // 737 apiextensions/v1.CustomResourceDefinitionNames
    m(2690, 6, 0xf), // 738 apiextensions/v1.CustomResourceDefinitionSpec
    m(2696, 4, 0x7), // 739 apiextensions/v1.CustomResourceDefinitionStatus
    m(2700, 9, 0x7), // 740 apiextensions/v1.CustomResourceDefinitionVersion
    m(2709, 3, 0x3), // 741 apiextensions/v1.CustomResourceSubresourceScale
    m(2712, 2, 0x0), // 742 apiextensions/v1.CustomResourceSubresources
    m(2714, 1, 0x0), // 743 apiextensions/v1.CustomResourceValidation
    m(2715, 2, 0x0), // 744 apiextensions/v1.ExternalDocumentation
    m(2717, 44, 0x0), // 745 apiextensions/v1.JSONSchemaProps
    m(2761, 2, 0x3), // 746 apiextensions/v1.JSONSchemaPropsOrArray
    m(2763, 2, 0x3), // 747 apiextensions/v1.JSONSchemaPropsOrBool
    m(2765, 2, 0x3), // 748 apiextensions/v1.JSONSchemaPropsOrStringArray
    m(2767, 1, 0x1), // 749 apiextensions/v1.SelectableField
    m(2768, 6, 0x1), // 750 apiextensions/v1.ValidationRule
    m(2774, 2, 0x2), // 751 apiextensions/v1.WebhookConversion
    m(2776, 4, 0x7), // 752 meta/v1.APIGroup
    m(2780, 1, 0x1), // 753 meta/v1.APIGroupList
    m(2781, 10, 0x2f), // 754 meta/v1.APIResource
    m(2791, 2, 0x3), // 755 meta/v1.APIResourceList
    m(2793, 2, 0x3), // 756 meta/v1.APIVersions
    m(2795, 6, 0x3b), // 757 meta/v1.Condition
    m(2801, 3, 0x0), // 758 meta/v1.CreateOptions
    m(2804, 6, 0x0), // 759 meta/v1.DeleteOptions
    m(2810, 1, 0x0), // 760 meta/v1.GetOptions
    m(2811, 2, 0x3), // 761 meta/v1.GroupResource
    m(2813, 2, 0x3), // 762 meta/v1.GroupVersionForDiscovery
    m(2815, 3, 0x7), // 763 meta/v1.GroupVersionKind
    m(2818, 3, 0x7), // 764 meta/v1.GroupVersionResource
    m(2821, 2, 0x0), // 765 meta/v1.LabelSelector
    m(2823, 5, 0x0), // 766 meta/v1.ListMeta
    m(2828, 11, 0x0), // 767 meta/v1.ListOptions
    m(2839, 7, 0x0), // 768 meta/v1.ManagedFieldsEntry
    m(2846, 15, 0x0), // 769 meta/v1.ObjectMeta
    m(2861, 6, 0xf), // 770 meta/v1.OwnerReference
    m(2867, 1, 0x1), // 771 meta/v1.PartialObjectMetadata
    m(2868, 2, 0x3), // 772 meta/v1.PartialObjectMetadataList
    m(2870, 4, 0x0), // 773 meta/v1.PatchOptions
    m(2874, 2, 0x0), // 774 meta/v1.Preconditions
    m(2876, 2, 0x3), // 775 meta/v1.ServerAddressByClientCIDR
    m(2878, 1, 0x1), // 776 meta/v1.ShardInfo
    m(2879, 6, 0x1), // 777 meta/v1.Status
    m(2885, 3, 0x0), // 778 meta/v1.StatusCause
    m(2888, 6, 0x0), // 779 meta/v1.StatusDetails
    m(2894, 1, 0x0), // 780 meta/v1.TableOptions
    m(2895, 3, 0x0), // 781 meta/v1.UpdateOptions
    m(2898, 2, 0x3), // 782 meta/v1.WatchEvent
    m(2900, 3, 0x7), // 783 apiregistration/v1.APIService
    m(2903, 2, 0x3), // 784 apiregistration/v1.APIServiceList
    m(2905, 7, 0x60), // 785 apiregistration/v1.APIServiceSpec
    m(2912, 1, 0x0), // 786 apiregistration/v1.APIServiceStatus
    m(2913, 3, 0x0), // 787 apiregistration/v1.ServiceReference
];

/// Number, name, kind, shape, flags and message of each field.
pub(super) static FIELDS: [Field; 2916] = [
    // 0 admission/v1.AdmissionRequest
    f(1, 11139, 3, K::String, S::One, REQUIRED, 0), // uid
    f(2, 11083, 4, K::Message, S::One, REQUIRED, 763), // kind
    f(3, 460, 8, K::Message, S::One, REQUIRED, 764), // resource
    f(4, 8603, 11, K::String, S::One, SKIP_ZERO, 0), // subResource
    f(5, 4251, 4, K::String, S::One, SKIP_ZERO, 0), // name
    f(6, 4251, 9, K::String, S::One, SKIP_ZERO, 0), // namespace
    f(7, 8910, 9, K::String, S::One, REQUIRED, 0), // operation
    f(8, 10214, 8, K::Message, S::One, REQUIRED, 102), // userInfo
    f(9, 6538, 6, K::Raw, S::One, REQUIRED, 0), // object
    f(10, 9470, 9, K::Raw, S::One, REQUIRED, 0), // oldObject
    f(11, 10688, 6, K::Bool, S::One, NULLABLE, 0), // dryRun
    f(12, 10493, 7, K::Raw, S::One, REQUIRED, 0), // options
    f(13, 8504, 11, K::Message, S::One, NULLABLE, 763), // requestKind
    f(14, 5906, 15, K::Message, S::One, NULLABLE, 764), // requestResource
    f(15, 3713, 18, K::String, S::One, SKIP_ZERO, 0), // requestSubResource
    // 1 admission/v1.AdmissionResponse
    f(1, 11139, 3, K::String, S::One, REQUIRED, 0), // uid
    f(2, 3911, 7, K::Bool, S::One, REQUIRED, 0), // allowed
    f(3, 3821, 6, K::Message, S::One, NULLABLE, 777), // status
    f(4, 9497, 5, K::Bytes, S::One, SKIP_ZERO | NULLABLE, 0), // patch
    f(5, 9497, 9, K::String, S::One, NULLABLE, 0), // patchType
    f(6, 4658, 16, K::String, S::Map, NULLABLE, 0), // auditAnnotations
    f(7, 10246, 8, K::String, S::Repeated, NULLABLE, 0), // warnings
    // 2 admission/v1.AdmissionReview
    f(1, 3713, 7, K::Message, S::One, NULLABLE, 0), // request
    f(2, 7757, 8, K::Message, S::One, NULLABLE, 1), // response
    // 3 admissionregistration/v1.ApplyConfiguration
    f(1, 3461, 10, K::String, S::One, SKIP_ZERO, 0), // expression
    // 4 admissionregistration/v1.AuditAnnotation
    f(1, 1033, 3, K::String, S::One, REQUIRED, 0), // key
    f(2, 6086, 15, K::String, S::One, REQUIRED, 0), // valueExpression
    // 5 admissionregistration/v1.ExpressionWarning
    f(2, 9870, 8, K::String, S::One, REQUIRED, 0), // fieldRef
    f(3, 10246, 7, K::String, S::One, REQUIRED, 0), // warning
    // 6 admissionregistration/v1.MatchCondition
    f(1, 4251, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 3461, 10, K::String, S::One, REQUIRED, 0), // expression
    // 7 admissionregistration/v1.MatchResources
    f(1, 4251, 17, K::Message, S::One, NULLABLE, 765), // namespaceSelector
    f(2, 6538, 14, K::Message, S::One, NULLABLE, 765), // objectSelector
    f(3, 7325, 13, K::Message, S::Repeated, NULLABLE, 18), // resourceRules
    f(4, 2564, 20, K::Message, S::Repeated, NULLABLE, 18), // excludeResourceRules
    f(7, 8372, 11, K::String, S::One, NULLABLE, 0), // matchPolicy
    // 8 admissionregistration/v1.MutatingAdmissionPolicy
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 5346, 4, K::Message, S::One, REQUIRED, 13), // spec
    // 9 admissionregistration/v1.MutatingAdmissionPolicyBinding
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 5346, 4, K::Message, S::One, REQUIRED, 11), // spec
    // 10 admissionregistration/v1.MutatingAdmissionPolicyBindingList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 9), // items
    // 11 admissionregistration/v1.MutatingAdmissionPolicyBindingSpec
    f(1, 8930, 10, K::String, S::One, SKIP_ZERO, 0), // policyName
    f(2, 10062, 8, K::Message, S::One, NULLABLE, 20), // paramRef
    f(3, 6510, 14, K::Message, S::One, NULLABLE, 7), // matchResources
    // 12 admissionregistration/v1.MutatingAdmissionPolicyList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 8), // items
    // 13 admissionregistration/v1.MutatingAdmissionPolicySpec
    f(1, 9479, 9, K::Message, S::One, NULLABLE, 19), // paramKind
    f(2, 5042, 16, K::Message, S::One, NULLABLE, 7), // matchConstraints
    f(3, 9749, 9, K::Message, S::Repeated, NULLABLE, 6), // variables
    f(4, 9452, 9, K::Message, S::Repeated, NULLABLE, 17), // mutations
    f(5, 6987, 13, K::String, S::One, NULLABLE, 0), // failurePolicy
    f(6, 5711, 15, K::Message, S::Repeated, NULLABLE, 6), // matchConditions
    f(7, 3659, 18, K::String, S::One, SKIP_ZERO, 0), // reinvocationPolicy
    // 14 admissionregistration/v1.MutatingWebhook
    f(1, 4251, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 7529, 12, K::Message, S::One, REQUIRED, 36), // clientConfig
    f(3, 11012, 5, K::Message, S::Repeated, NULLABLE, 22), // rules
    f(4, 6987, 13, K::String, S::One, NULLABLE, 0), // failurePolicy
    f(5, 4251, 17, K::Message, S::One, NULLABLE, 765), // namespaceSelector
    f(6, 8559, 11, K::String, S::One, REQUIRED | NULLABLE, 0), // sideEffects
    f(7, 6748, 14, K::Int, S::One, NULLABLE, 0), // timeoutSeconds
    f(8, 1572, 23, K::String, S::Repeated, REQUIRED | NULLABLE, 0), // admissionReviewVersions
    f(9, 8372, 11, K::String, S::One, NULLABLE, 0), // matchPolicy
    f(10, 3659, 18, K::String, S::One, NULLABLE, 0), // reinvocationPolicy
    f(11, 6538, 14, K::Message, S::One, NULLABLE, 765), // objectSelector
    f(12, 5711, 15, K::Message, S::Repeated, NULLABLE, 6), // matchConditions
    // 15 admissionregistration/v1.MutatingWebhookConfiguration
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 10254, 8, K::Message, S::Repeated, NULLABLE, 14), // webhooks
    // 16 admissionregistration/v1.MutatingWebhookConfigurationList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 15), // items
    // 17 admissionregistration/v1.Mutation
    f(2, 9497, 9, K::String, S::One, REQUIRED, 0), // patchType
    f(3, 3245, 18, K::Message, S::One, NULLABLE, 3), // applyConfiguration
    f(4, 9371, 9, K::Message, S::One, NULLABLE, 3), // jsonPatch
    // 18 admissionregistration/v1.NamedRuleWithOperations
    f(1, 7312, 13, K::String, S::Repeated, NULLABLE, 0), // resourceNames
    f(2, 0, 0, K::Message, S::One, INLINE | REQUIRED, 22), // 
    // 19 admissionregistration/v1.ParamKind
    f(1, 8097, 10, K::String, S::One, SKIP_ZERO, 0), // apiVersion
    f(2, 11083, 4, K::String, S::One, SKIP_ZERO, 0), // kind
    // 20 admissionregistration/v1.ParamRef
    f(1, 4251, 4, K::String, S::One, SKIP_ZERO, 0), // name
    f(2, 4251, 9, K::String, S::One, SKIP_ZERO, 0), // namespace
    f(3, 9596, 8, K::Message, S::One, NULLABLE, 765), // selector
    f(4, 1687, 23, K::String, S::One, NULLABLE, 0), // parameterNotFoundAction
    // 21 admissionregistration/v1.Rule
    f(1, 9209, 9, K::String, S::Repeated, NULLABLE, 0), // apiGroups
    f(2, 8097, 11, K::String, S::Repeated, NULLABLE, 0), // apiVersions
    f(3, 7868, 9, K::String, S::Repeated, NULLABLE, 0), // resources
    f(4, 7377, 5, K::String, S::One, NULLABLE, 0), // scope
    // 22 admissionregistration/v1.RuleWithOperations
    f(1, 8910, 10, K::String, S::Repeated, NULLABLE, 0), // operations
    f(2, 0, 0, K::Message, S::One, INLINE | REQUIRED, 21), // 
    // 23 admissionregistration/v1.ServiceReference
    f(1, 4251, 9, K::String, S::One, REQUIRED, 0), // namespace
    f(2, 4251, 4, K::String, S::One, REQUIRED, 0), // name
    f(3, 10070, 4, K::String, S::One, NULLABLE, 0), // path
    f(4, 3133, 4, K::Int, S::One, NULLABLE, 0), // port
    // 24 admissionregistration/v1.TypeChecking
    f(1, 3461, 18, K::Message, S::Repeated, NULLABLE, 5), // expressionWarnings
    // 25 admissionregistration/v1.ValidatingAdmissionPolicy
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 5346, 4, K::Message, S::One, REQUIRED, 30), // spec
    f(3, 3821, 6, K::Message, S::One, REQUIRED, 31), // status
    // 26 admissionregistration/v1.ValidatingAdmissionPolicyBinding
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 5346, 4, K::Message, S::One, REQUIRED, 28), // spec
    // 27 admissionregistration/v1.ValidatingAdmissionPolicyBindingList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 26), // items
    // 28 admissionregistration/v1.ValidatingAdmissionPolicyBindingSpec
    f(1, 8930, 10, K::String, S::One, SKIP_ZERO, 0), // policyName
    f(2, 10062, 8, K::Message, S::One, NULLABLE, 20), // paramRef
    f(3, 6510, 14, K::Message, S::One, NULLABLE, 7), // matchResources
    f(4, 4591, 17, K::String, S::Repeated, NULLABLE, 0), // validationActions
    // 29 admissionregistration/v1.ValidatingAdmissionPolicyList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 25), // items
    // 30 admissionregistration/v1.ValidatingAdmissionPolicySpec
    f(1, 9479, 9, K::Message, S::One, NULLABLE, 19), // paramKind
    f(2, 5042, 16, K::Message, S::One, NULLABLE, 7), // matchConstraints
    f(3, 1561, 11, K::Message, S::Repeated, NULLABLE, 35), // validations
    f(4, 6987, 13, K::String, S::One, NULLABLE, 0), // failurePolicy
    f(5, 4658, 16, K::Message, S::Repeated, NULLABLE, 4), // auditAnnotations
    f(6, 5711, 15, K::Message, S::Repeated, NULLABLE, 6), // matchConditions
    f(7, 9749, 9, K::Message, S::Repeated, NULLABLE, 6), // variables
    // 31 admissionregistration/v1.ValidatingAdmissionPolicyStatus
    f(1, 3623, 18, K::Int, S::One, SKIP_ZERO, 0), // observedGeneration
    f(2, 7925, 12, K::Message, S::One, NULLABLE, 24), // typeChecking
    f(3, 7263, 10, K::Message, S::Repeated, NULLABLE, 757), // conditions
    // 32 admissionregistration/v1.ValidatingWebhook
    f(1, 4251, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 7529, 12, K::Message, S::One, REQUIRED, 36), // clientConfig
    f(3, 11012, 5, K::Message, S::Repeated, NULLABLE, 22), // rules
    f(4, 6987, 13, K::String, S::One, NULLABLE, 0), // failurePolicy
    f(5, 4251, 17, K::Message, S::One, NULLABLE, 765), // namespaceSelector
    f(6, 8559, 11, K::String, S::One, REQUIRED | NULLABLE, 0), // sideEffects
    f(7, 6748, 14, K::Int, S::One, NULLABLE, 0), // timeoutSeconds
    f(8, 1572, 23, K::String, S::Repeated, REQUIRED | NULLABLE, 0), // admissionReviewVersions
    f(9, 8372, 11, K::String, S::One, NULLABLE, 0), // matchPolicy
    f(10, 6538, 14, K::Message, S::One, NULLABLE, 765), // objectSelector
    f(11, 5711, 15, K::Message, S::Repeated, NULLABLE, 6), // matchConditions
    // 33 admissionregistration/v1.ValidatingWebhookConfiguration
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 10254, 8, K::Message, S::Repeated, NULLABLE, 32), // webhooks
    // 34 admissionregistration/v1.ValidatingWebhookConfigurationList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 33), // items
    // 35 admissionregistration/v1.Validation
    f(1, 3461, 10, K::String, S::One, REQUIRED, 0), // expression
    f(2, 4217, 7, K::String, S::One, SKIP_ZERO, 0), // message
    f(3, 10838, 6, K::String, S::One, NULLABLE, 0), // reason
    f(4, 4217, 17, K::String, S::One, SKIP_ZERO, 0), // messageExpression
    // 36 admissionregistration/v1.WebhookClientConfig
    f(1, 669, 7, K::Message, S::One, NULLABLE, 23), // service
    f(2, 9814, 8, K::Bytes, S::One, SKIP_ZERO | NULLABLE, 0), // caBundle
    f(3, 11142, 3, K::String, S::One, NULLABLE, 0), // url
    // 37 admissionregistration/v1beta1.MutatingWebhook
    f(1, 4251, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 7529, 12, K::Message, S::One, REQUIRED, 36), // clientConfig
    f(3, 11012, 5, K::Message, S::Repeated, NULLABLE, 22), // rules
    f(4, 6987, 13, K::String, S::One, NULLABLE, 0), // failurePolicy
    f(5, 4251, 17, K::Message, S::One, NULLABLE, 765), // namespaceSelector
    f(6, 8559, 11, K::String, S::One, NULLABLE, 0), // sideEffects
    f(7, 6748, 14, K::Int, S::One, NULLABLE, 0), // timeoutSeconds
    f(8, 1572, 23, K::String, S::Repeated, NULLABLE, 0), // admissionReviewVersions
    f(9, 8372, 11, K::String, S::One, NULLABLE, 0), // matchPolicy
    f(10, 3659, 18, K::String, S::One, NULLABLE, 0), // reinvocationPolicy
    f(11, 6538, 14, K::Message, S::One, NULLABLE, 765), // objectSelector
    f(12, 5711, 15, K::Message, S::Repeated, NULLABLE, 6), // matchConditions
    // 38 admissionregistration/v1beta1.MutatingWebhookConfiguration
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 10254, 8, K::Message, S::Repeated, NULLABLE, 37), // webhooks
    // 39 admissionregistration/v1beta1.MutatingWebhookConfigurationList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 38), // items
    // 40 admissionregistration/v1beta1.ValidatingWebhook
    f(1, 4251, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 7529, 12, K::Message, S::One, REQUIRED, 36), // clientConfig
    f(3, 11012, 5, K::Message, S::Repeated, NULLABLE, 22), // rules
    f(4, 6987, 13, K::String, S::One, NULLABLE, 0), // failurePolicy
    f(5, 4251, 17, K::Message, S::One, NULLABLE, 765), // namespaceSelector
    f(6, 8559, 11, K::String, S::One, NULLABLE, 0), // sideEffects
    f(7, 6748, 14, K::Int, S::One, NULLABLE, 0), // timeoutSeconds
    f(8, 1572, 23, K::String, S::Repeated, NULLABLE, 0), // admissionReviewVersions
    f(9, 8372, 11, K::String, S::One, NULLABLE, 0), // matchPolicy
    f(10, 6538, 14, K::Message, S::One, NULLABLE, 765), // objectSelector
    f(11, 5711, 15, K::Message, S::Repeated, NULLABLE, 6), // matchConditions
    // 41 admissionregistration/v1beta1.ValidatingWebhookConfiguration
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 10254, 8, K::Message, S::Repeated, NULLABLE, 40), // webhooks
    // 42 admissionregistration/v1beta1.ValidatingWebhookConfigurationList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 41), // items
    // 43 apidiscovery/v2.APIGroupDiscovery
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 10230, 8, K::Message, S::Repeated, NULLABLE, 47), // versions
    // 44 apidiscovery/v2.APIGroupDiscoveryList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 43), // items
    // 45 apidiscovery/v2.APIResourceDiscovery
    f(1, 460, 8, K::String, S::One, REQUIRED, 0), // resource
    f(2, 7757, 12, K::Message, S::One, NULLABLE, 763), // responseKind
    f(3, 7377, 5, K::String, S::One, REQUIRED, 0), // scope
    f(4, 5330, 16, K::String, S::One, REQUIRED, 0), // singularResource
    f(5, 11032, 5, K::String, S::Repeated, REQUIRED | NULLABLE, 0), // verbs
    f(6, 9060, 10, K::String, S::Repeated, NULLABLE, 0), // shortNames
    f(7, 8700, 10, K::String, S::Repeated, NULLABLE, 0), // categories
    f(8, 7865, 12, K::Message, S::Repeated, NULLABLE, 46), // subresources
    // 46 apidiscovery/v2.APISubresourceDiscovery
    f(1, 7865, 11, K::String, S::One, REQUIRED, 0), // subresource
    f(2, 7757, 12, K::Message, S::One, NULLABLE, 763), // responseKind
    f(3, 6831, 13, K::Message, S::Repeated, NULLABLE, 763), // acceptedTypes
    f(4, 11032, 5, K::String, S::Repeated, REQUIRED | NULLABLE, 0), // verbs
    // 47 apidiscovery/v2.APIVersionDiscovery
    f(1, 1359, 7, K::String, S::One, REQUIRED, 0), // version
    f(2, 7868, 9, K::Message, S::Repeated, NULLABLE, 45), // resources
    f(3, 9326, 9, K::String, S::One, SKIP_ZERO, 0), // freshness
    // 48 apiserverinternal/v1alpha1.ServerStorageVersion
    f(1, 8086, 11, K::String, S::One, SKIP_ZERO, 0), // apiServerID
    f(2, 5606, 15, K::String, S::One, SKIP_ZERO, 0), // encodingVersion
    f(3, 4030, 17, K::String, S::Repeated, NULLABLE, 0), // decodableVersions
    f(4, 6678, 14, K::String, S::Repeated, NULLABLE, 0), // servedVersions
    // 49 apiserverinternal/v1alpha1.StorageVersion
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 5346, 4, K::Message, S::One, REQUIRED, 52), // spec
    f(3, 3821, 6, K::Message, S::One, REQUIRED, 53), // status
    // 50 apiserverinternal/v1alpha1.StorageVersionCondition
    f(1, 2085, 4, K::String, S::One, REQUIRED, 0), // type
    f(2, 3821, 6, K::String, S::One, REQUIRED, 0), // status
    f(3, 3623, 18, K::Int, S::One, SKIP_ZERO, 0), // observedGeneration
    f(4, 3515, 18, K::Time, S::One, REQUIRED, 0), // lastTransitionTime
    f(5, 10838, 6, K::String, S::One, REQUIRED, 0), // reason
    f(6, 4217, 7, K::String, S::One, SKIP_ZERO, 0), // message
    // 51 apiserverinternal/v1alpha1.StorageVersionList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 49), // items
    // 52 apiserverinternal/v1alpha1.StorageVersionSpec
    // 53 apiserverinternal/v1alpha1.StorageVersionStatus
    f(1, 6026, 15, K::Message, S::Repeated, NULLABLE, 48), // storageVersions
    f(2, 2131, 21, K::String, S::One, NULLABLE, 0), // commonEncodingVersion
    f(3, 7263, 10, K::Message, S::Repeated, NULLABLE, 50), // conditions
    // 54 apps/v1.ControllerRevision
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 3277, 4, K::Raw, S::One, REQUIRED, 0), // data
    f(3, 2824, 8, K::Int, S::One, REQUIRED, 0), // revision
    // 55 apps/v1.ControllerRevisionList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 54), // items
    // 56 apps/v1.DaemonSet
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 5346, 4, K::Message, S::One, REQUIRED, 59), // spec
    f(3, 3821, 6, K::Message, S::One, REQUIRED, 60), // status
    // 57 apps/v1.DaemonSetCondition
    f(1, 2085, 4, K::String, S::One, REQUIRED, 0), // type
    f(2, 3821, 6, K::String, S::One, REQUIRED, 0), // status
    f(3, 3515, 18, K::Time, S::One, REQUIRED, 0), // lastTransitionTime
    f(4, 10838, 6, K::String, S::One, SKIP_ZERO, 0), // reason
    f(5, 4217, 7, K::String, S::One, SKIP_ZERO, 0), // message
    // 58 apps/v1.DaemonSetList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 56), // items
    // 59 apps/v1.DaemonSetSpec
    f(1, 9596, 8, K::Message, S::One, REQUIRED | NULLABLE, 765), // selector
    f(2, 3857, 8, K::Message, S::One, REQUIRED, 352), // template
    f(3, 6776, 14, K::Message, S::One, REQUIRED, 61), // updateStrategy
    f(4, 5726, 15, K::Int, S::One, SKIP_ZERO, 0), // minReadySeconds
    f(6, 2824, 20, K::Int, S::One, NULLABLE, 0), // revisionHistoryLimit
    // 60 apps/v1.DaemonSetStatus
    f(1, 1825, 22, K::Int, S::One, REQUIRED, 0), // currentNumberScheduled
    f(2, 3605, 18, K::Int, S::One, REQUIRED, 0), // numberMisscheduled
    f(3, 1847, 22, K::Int, S::One, REQUIRED, 0), // desiredNumberScheduled
    f(4, 8427, 11, K::Int, S::One, REQUIRED, 0), // numberReady
    f(5, 3623, 18, K::Int, S::One, SKIP_ZERO, 0), // observedGeneration
    f(6, 2045, 22, K::Int, S::One, SKIP_ZERO, 0), // updatedNumberScheduled
    f(7, 5756, 15, K::Int, S::One, SKIP_ZERO, 0), // numberAvailable
    f(8, 4319, 17, K::Int, S::One, SKIP_ZERO, 0), // numberUnavailable
    f(9, 6202, 14, K::Int, S::One, NULLABLE, 0), // collisionCount
    f(10, 7263, 10, K::Message, S::Repeated, NULLABLE, 57), // conditions
    // 61 apps/v1.DaemonSetUpdateStrategy
    f(1, 2085, 4, K::String, S::One, SKIP_ZERO, 0), // type
    f(2, 7338, 13, K::Message, S::One, NULLABLE, 71), // rollingUpdate
    // 62 apps/v1.Deployment
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 5346, 4, K::Message, S::One, REQUIRED, 65), // spec
    f(3, 3821, 6, K::Message, S::One, REQUIRED, 66), // status
    // 63 apps/v1.DeploymentCondition
    f(1, 2085, 4, K::String, S::One, REQUIRED, 0), // type
    f(2, 3821, 6, K::String, S::One, REQUIRED, 0), // status
    f(4, 10838, 6, K::String, S::One, SKIP_ZERO, 0), // reason
    f(5, 4217, 7, K::String, S::One, SKIP_ZERO, 0), // message
    f(6, 6454, 14, K::Time, S::One, REQUIRED, 0), // lastUpdateTime
    f(7, 3515, 18, K::Time, S::One, REQUIRED, 0), // lastTransitionTime
    // 64 apps/v1.DeploymentList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 62), // items
    // 65 apps/v1.DeploymentSpec
    f(1, 10158, 8, K::Int, S::One, NULLABLE, 0), // replicas
    f(2, 9596, 8, K::Message, S::One, REQUIRED | NULLABLE, 765), // selector
    f(3, 3857, 8, K::Message, S::One, REQUIRED, 352), // template
    f(4, 10190, 8, K::Message, S::One, REQUIRED, 61), // strategy
    f(5, 5726, 15, K::Int, S::One, SKIP_ZERO, 0), // minReadySeconds
    f(6, 2824, 20, K::Int, S::One, NULLABLE, 0), // revisionHistoryLimit
    f(7, 10790, 6, K::Bool, S::One, SKIP_ZERO, 0), // paused
    f(9, 1710, 23, K::Int, S::One, NULLABLE, 0), // progressDeadlineSeconds
    // 66 apps/v1.DeploymentStatus
    f(1, 3623, 18, K::Int, S::One, SKIP_ZERO, 0), // observedGeneration
    f(2, 10158, 8, K::Int, S::One, SKIP_ZERO, 0), // replicas
    f(3, 6041, 15, K::Int, S::One, SKIP_ZERO, 0), // updatedReplicas
    f(4, 3228, 17, K::Int, S::One, SKIP_ZERO, 0), // availableReplicas
    f(5, 3226, 19, K::Int, S::One, SKIP_ZERO, 0), // unavailableReplicas
    f(6, 7263, 10, K::Message, S::Repeated, NULLABLE, 63), // conditions
    f(7, 7273, 13, K::Int, S::One, SKIP_ZERO, 0), // readyReplicas
    f(8, 6202, 14, K::Int, S::One, NULLABLE, 0), // collisionCount
    f(9, 3188, 19, K::Int, S::One, NULLABLE, 0), // terminatingReplicas
    // 67 apps/v1.ReplicaSet
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 5346, 4, K::Message, S::One, REQUIRED, 69), // spec
    f(3, 3821, 6, K::Message, S::One, REQUIRED, 70), // status
    // 68 apps/v1.ReplicaSetList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 67), // items
    // 69 apps/v1.ReplicaSetSpec
    f(1, 10158, 8, K::Int, S::One, NULLABLE, 0), // replicas
    f(2, 9596, 8, K::Message, S::One, REQUIRED | NULLABLE, 765), // selector
    f(3, 3857, 8, K::Message, S::One, REQUIRED, 352), // template
    f(4, 5726, 15, K::Int, S::One, SKIP_ZERO, 0), // minReadySeconds
    // 70 apps/v1.ReplicaSetStatus
    f(1, 10158, 8, K::Int, S::One, REQUIRED, 0), // replicas
    f(2, 2604, 20, K::Int, S::One, SKIP_ZERO, 0), // fullyLabeledReplicas
    f(3, 3623, 18, K::Int, S::One, SKIP_ZERO, 0), // observedGeneration
    f(4, 7273, 13, K::Int, S::One, SKIP_ZERO, 0), // readyReplicas
    f(5, 3228, 17, K::Int, S::One, SKIP_ZERO, 0), // availableReplicas
    f(6, 7263, 10, K::Message, S::Repeated, NULLABLE, 57), // conditions
    f(7, 3188, 19, K::Int, S::One, NULLABLE, 0), // terminatingReplicas
    // 71 apps/v1.RollingUpdateDaemonSet
    f(1, 6524, 14, K::IntOrString, S::One, NULLABLE, 0), // maxUnavailable
    f(2, 9958, 8, K::IntOrString, S::One, NULLABLE, 0), // maxSurge
    // 72 apps/v1.RollingUpdateStatefulSetStrategy
    f(1, 1935, 9, K::Int, S::One, NULLABLE, 0), // partition
    f(2, 6524, 14, K::IntOrString, S::One, NULLABLE, 0), // maxUnavailable
    // 73 apps/v1.StatefulSet
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 5346, 4, K::Message, S::One, REQUIRED, 77), // spec
    f(3, 3821, 6, K::Message, S::One, REQUIRED, 78), // status
    // 74 apps/v1.StatefulSetList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 73), // items
    // 75 apps/v1.StatefulSetOrdinals
    f(1, 1756, 5, K::Int, S::One, REQUIRED, 0), // start
    // 76 apps/v1.StatefulSetPersistentVolumeClaimRetentionPolicy
    f(1, 8658, 11, K::String, S::One, SKIP_ZERO, 0), // whenDeleted
    f(2, 9180, 10, K::String, S::One, SKIP_ZERO, 0), // whenScaled
    // 77 apps/v1.StatefulSetSpec
    f(1, 10158, 8, K::Int, S::One, NULLABLE, 0), // replicas
    f(2, 9596, 8, K::Message, S::One, REQUIRED | NULLABLE, 765), // selector
    f(3, 3857, 8, K::Message, S::One, REQUIRED, 352), // template
    f(4, 2844, 20, K::Message, S::Repeated, NULLABLE, 317), // volumeClaimTemplates
    f(5, 8537, 11, K::String, S::One, REQUIRED, 0), // serviceName
    f(6, 3093, 19, K::String, S::One, SKIP_ZERO, 0), // podManagementPolicy
    f(7, 6776, 14, K::Message, S::One, REQUIRED, 79), // updateStrategy
    f(8, 2824, 20, K::Int, S::One, NULLABLE, 0), // revisionHistoryLimit
    f(9, 5726, 15, K::Int, S::One, SKIP_ZERO, 0), // minReadySeconds
    f(10, 177, 36, K::Message, S::One, NULLABLE, 76), // persistentVolumeClaimRetentionPolicy
    f(11, 10046, 8, K::Message, S::One, NULLABLE, 75), // ordinals
    // 78 apps/v1.StatefulSetStatus
    f(1, 3623, 18, K::Int, S::One, SKIP_ZERO, 0), // observedGeneration
    f(2, 10158, 8, K::Int, S::One, REQUIRED, 0), // replicas
    f(3, 7273, 13, K::Int, S::One, SKIP_ZERO, 0), // readyReplicas
    f(4, 5501, 15, K::Int, S::One, SKIP_ZERO, 0), // currentReplicas
    f(5, 6041, 15, K::Int, S::One, SKIP_ZERO, 0), // updatedReplicas
    f(6, 5516, 15, K::String, S::One, SKIP_ZERO, 0), // currentRevision
    f(7, 6762, 14, K::String, S::One, SKIP_ZERO, 0), // updateRevision
    f(9, 6202, 14, K::Int, S::One, NULLABLE, 0), // collisionCount
    f(10, 7263, 10, K::Message, S::Repeated, NULLABLE, 57), // conditions
    f(11, 3228, 17, K::Int, S::One, REQUIRED, 0), // availableReplicas
    // 79 apps/v1.StatefulSetUpdateStrategy
    f(1, 2085, 4, K::String, S::One, SKIP_ZERO, 0), // type
    f(2, 7338, 13, K::Message, S::One, NULLABLE, 72), // rollingUpdate
    // 80 apps/v1beta1.Deployment
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 5346, 4, K::Message, S::One, REQUIRED, 83), // spec
    f(3, 3821, 6, K::Message, S::One, REQUIRED, 66), // status
    // 81 apps/v1beta1.DeploymentList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 80), // items
    // 82 apps/v1beta1.DeploymentRollback
    f(1, 4251, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 3893, 18, K::String, S::Map, NULLABLE, 0), // updatedAnnotations
    f(3, 9030, 10, K::Message, S::One, REQUIRED, 84), // rollbackTo
    // 83 apps/v1beta1.DeploymentSpec
    f(1, 10158, 8, K::Int, S::One, NULLABLE, 0), // replicas
    f(2, 9596, 8, K::Message, S::One, NULLABLE, 765), // selector
    f(3, 3857, 8, K::Message, S::One, REQUIRED, 352), // template
    f(4, 10190, 8, K::Message, S::One, REQUIRED, 61), // strategy
    f(5, 5726, 15, K::Int, S::One, SKIP_ZERO, 0), // minReadySeconds
    f(6, 2824, 20, K::Int, S::One, NULLABLE, 0), // revisionHistoryLimit
    f(7, 10790, 6, K::Bool, S::One, SKIP_ZERO, 0), // paused
    f(8, 9030, 10, K::Message, S::One, NULLABLE, 84), // rollbackTo
    f(9, 1710, 23, K::Int, S::One, NULLABLE, 0), // progressDeadlineSeconds
    // 84 apps/v1beta1.RollbackConfig
    f(1, 2824, 8, K::Int, S::One, SKIP_ZERO, 0), // revision
    // 85 apps/v1beta1.Scale
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 5346, 4, K::Message, S::One, REQUIRED, 86), // spec
    f(3, 3821, 6, K::Message, S::One, REQUIRED, 87), // status
    // 86 apps/v1beta1.ScaleSpec
    f(1, 10158, 8, K::Int, S::One, SKIP_ZERO, 0), // replicas
    // 87 apps/v1beta1.ScaleStatus
    f(1, 10158, 8, K::Int, S::One, REQUIRED, 0), // replicas
    f(2, 9596, 8, K::String, S::Map, NULLABLE, 0), // selector
    f(3, 6734, 14, K::String, S::One, SKIP_ZERO, 0), // targetSelector
    // 88 apps/v1beta1.StatefulSet
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 5346, 4, K::Message, S::One, REQUIRED, 90), // spec
    f(3, 3821, 6, K::Message, S::One, REQUIRED, 91), // status
    // 89 apps/v1beta1.StatefulSetList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 88), // items
    // 90 apps/v1beta1.StatefulSetSpec
    f(1, 10158, 8, K::Int, S::One, NULLABLE, 0), // replicas
    f(2, 9596, 8, K::Message, S::One, NULLABLE, 765), // selector
    f(3, 3857, 8, K::Message, S::One, REQUIRED, 352), // template
    f(4, 2844, 20, K::Message, S::Repeated, NULLABLE, 317), // volumeClaimTemplates
    f(5, 8537, 11, K::String, S::One, REQUIRED, 0), // serviceName
    f(6, 3093, 19, K::String, S::One, SKIP_ZERO, 0), // podManagementPolicy
    f(7, 6776, 14, K::Message, S::One, REQUIRED, 79), // updateStrategy
    f(8, 2824, 20, K::Int, S::One, NULLABLE, 0), // revisionHistoryLimit
    f(9, 5726, 15, K::Int, S::One, SKIP_ZERO, 0), // minReadySeconds
    f(10, 177, 36, K::Message, S::One, NULLABLE, 76), // persistentVolumeClaimRetentionPolicy
    f(11, 10046, 8, K::Message, S::One, NULLABLE, 75), // ordinals
    // 91 apps/v1beta1.StatefulSetStatus
    f(1, 3623, 18, K::Int, S::One, NULLABLE, 0), // observedGeneration
    f(2, 10158, 8, K::Int, S::One, REQUIRED, 0), // replicas
    f(3, 7273, 13, K::Int, S::One, SKIP_ZERO, 0), // readyReplicas
    f(4, 5501, 15, K::Int, S::One, SKIP_ZERO, 0), // currentReplicas
    f(5, 6041, 15, K::Int, S::One, SKIP_ZERO, 0), // updatedReplicas
    f(6, 5516, 15, K::String, S::One, SKIP_ZERO, 0), // currentRevision
    f(7, 6762, 14, K::String, S::One, SKIP_ZERO, 0), // updateRevision
    f(9, 6202, 14, K::Int, S::One, NULLABLE, 0), // collisionCount
    f(10, 7263, 10, K::Message, S::Repeated, NULLABLE, 57), // conditions
    f(11, 3228, 17, K::Int, S::One, REQUIRED, 0), // availableReplicas
    // 92 authentication/v1.AttestationValue
    f(1, 10967, 5, K::String, S::Repeated, NULLABLE, 0), // items
    // 93 authentication/v1.BoundObjectReference
    f(1, 11083, 4, K::String, S::One, SKIP_ZERO, 0), // kind
    f(2, 8097, 10, K::String, S::One, SKIP_ZERO, 0), // apiVersion
    f(3, 4251, 4, K::String, S::One, SKIP_ZERO, 0), // name
    f(4, 11139, 3, K::String, S::One, SKIP_ZERO, 0), // uid
    // 94 authentication/v1.SelfSubjectReview
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 3821, 6, K::Message, S::One, REQUIRED, 95), // status
    // 95 authentication/v1.SelfSubjectReviewStatus
    f(1, 10214, 8, K::Message, S::One, REQUIRED, 102), // userInfo
    // 96 authentication/v1.TokenRequest
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 5346, 4, K::Message, S::One, REQUIRED, 97), // spec
    f(3, 3821, 6, K::Message, S::One, REQUIRED, 98), // status
    // 97 authentication/v1.TokenRequestSpec
    f(1, 9218, 9, K::String, S::Repeated, REQUIRED | NULLABLE, 0), // audiences
    f(3, 6188, 14, K::Message, S::One, REQUIRED | NULLABLE, 93), // boundObjectRef
    f(4, 4115, 17, K::Int, S::One, REQUIRED | NULLABLE, 0), // expirationSeconds
    f(5, 7493, 12, K::Items, S::Map, NULLABLE, 92), // attestations
    // 98 authentication/v1.TokenRequestStatus
    f(1, 7429, 5, K::String, S::One, REQUIRED, 0), // token
    f(2, 2979, 19, K::Time, S::One, REQUIRED, 0), // expirationTimestamp
    // 99 authentication/v1.TokenReview
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 5346, 4, K::Message, S::One, REQUIRED, 100), // spec
    f(3, 3821, 6, K::Message, S::One, REQUIRED, 101), // status
    // 100 authentication/v1.TokenReviewSpec
    f(1, 7429, 5, K::String, S::One, SKIP_ZERO, 0), // token
    f(2, 9218, 9, K::String, S::Repeated, NULLABLE, 0), // audiences
    // 101 authentication/v1.TokenReviewStatus
    f(1, 6844, 13, K::Bool, S::One, SKIP_ZERO, 0), // authenticated
    f(2, 6056, 4, K::Message, S::One, REQUIRED, 102), // user
    f(3, 9290, 5, K::String, S::One, SKIP_ZERO, 0), // error
    f(4, 9218, 9, K::String, S::Repeated, NULLABLE, 0), // audiences
    // 102 authentication/v1.UserInfo
    f(1, 10222, 8, K::String, S::One, SKIP_ZERO, 0), // username
    f(2, 11139, 3, K::String, S::One, SKIP_ZERO, 0), // uid
    f(3, 10736, 6, K::String, S::Repeated, NULLABLE, 0), // groups
    f(4, 10947, 5, K::Items, S::Map, NULLABLE, 92), // extra
    // 103 authorization/v1.FieldSelectorAttributes
    f(1, 8493, 11, K::String, S::One, SKIP_ZERO, 0), // rawSelector
    f(2, 7733, 12, K::Message, S::Repeated, NULLABLE, 308), // requirements
    // 104 authorization/v1.LocalSubjectAccessReview
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 5346, 4, K::Message, S::One, REQUIRED, 113), // spec
    f(3, 3821, 6, K::Message, S::One, REQUIRED, 114), // status
    // 105 authorization/v1.NonResourceAttributes
    f(1, 10070, 4, K::String, S::One, SKIP_ZERO, 0), // path
    f(2, 11032, 4, K::String, S::One, SKIP_ZERO, 0), // verb
    // 106 authorization/v1.NonResourceRule
    f(1, 11032, 5, K::String, S::Repeated, REQUIRED | NULLABLE, 0), // verbs
    f(2, 5741, 15, K::String, S::Repeated, NULLABLE, 0), // nonResourceURLs
    // 107 authorization/v1.ResourceAttributes
    f(1, 4251, 9, K::String, S::One, SKIP_ZERO, 0), // namespace
    f(2, 11032, 4, K::String, S::One, SKIP_ZERO, 0), // verb
    f(3, 2624, 5, K::String, S::One, SKIP_ZERO, 0), // group
    f(4, 1359, 7, K::String, S::One, SKIP_ZERO, 0), // version
    f(5, 460, 8, K::String, S::One, SKIP_ZERO, 0), // resource
    f(6, 7865, 11, K::String, S::One, SKIP_ZERO, 0), // subresource
    f(7, 4251, 4, K::String, S::One, SKIP_ZERO, 0), // name
    f(8, 7000, 13, K::Message, S::One, NULLABLE, 103), // fieldSelector
    f(9, 4149, 13, K::Message, S::One, NULLABLE, 103), // labelSelector
    // 108 authorization/v1.ResourceRule
    f(1, 11032, 5, K::String, S::Repeated, REQUIRED | NULLABLE, 0), // verbs
    f(2, 9209, 9, K::String, S::Repeated, NULLABLE, 0), // apiGroups
    f(3, 7868, 9, K::String, S::Repeated, NULLABLE, 0), // resources
    f(4, 7312, 13, K::String, S::Repeated, NULLABLE, 0), // resourceNames
    // 109 authorization/v1.SelfSubjectAccessReview
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 5346, 4, K::Message, S::One, REQUIRED, 110), // spec
    f(3, 3821, 6, K::Message, S::One, REQUIRED, 114), // status
    // 110 authorization/v1.SelfSubjectAccessReviewSpec
    f(1, 3731, 18, K::Message, S::One, NULLABLE, 107), // resourceAttributes
    f(2, 2257, 21, K::Message, S::One, NULLABLE, 105), // nonResourceAttributes
    // 111 authorization/v1.SelfSubjectRulesReview
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 5346, 4, K::Message, S::One, REQUIRED, 112), // spec
    f(3, 3821, 6, K::Message, S::One, REQUIRED, 115), // status
    // 112 authorization/v1.SelfSubjectRulesReviewSpec
    f(1, 4251, 9, K::String, S::One, SKIP_ZERO, 0), // namespace
    // 113 authorization/v1.SubjectAccessReviewSpec
    f(1, 3731, 18, K::Message, S::One, NULLABLE, 107), // resourceAttributes
    f(2, 2257, 21, K::Message, S::One, NULLABLE, 105), // nonResourceAttributes
    f(3, 6056, 4, K::String, S::One, SKIP_ZERO, 0), // user
    f(4, 10736, 6, K::String, S::Repeated, NULLABLE, 0), // groups
    f(5, 10947, 5, K::Items, S::Map, NULLABLE, 92), // extra
    f(6, 11139, 3, K::String, S::One, SKIP_ZERO, 0), // uid
    // 114 authorization/v1.SubjectAccessReviewStatus
    f(1, 3911, 7, K::Bool, S::One, REQUIRED, 0), // allowed
    f(2, 10838, 6, K::String, S::One, SKIP_ZERO, 0), // reason
    f(3, 5621, 15, K::String, S::One, SKIP_ZERO, 0), // evaluationError
    f(4, 10682, 6, K::Bool, S::One, SKIP_ZERO, 0), // denied
    // 115 authorization/v1.SubjectRulesReviewStatus
    f(1, 7325, 13, K::Message, S::Repeated, REQUIRED | NULLABLE, 108), // resourceRules
    f(2, 5122, 16, K::Message, S::Repeated, REQUIRED | NULLABLE, 106), // nonResourceRules
    f(3, 8840, 10, K::Bool, S::One, REQUIRED, 0), // incomplete
    f(4, 5621, 15, K::String, S::One, SKIP_ZERO, 0), // evaluationError
    // 116 authorization/v1beta1.LocalSubjectAccessReview
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 5346, 4, K::Message, S::One, REQUIRED, 117), // spec
    f(3, 3821, 6, K::Message, S::One, REQUIRED, 114), // status
    // 117 authorization/v1beta1.SubjectAccessReviewSpec
    f(1, 3731, 18, K::Message, S::One, NULLABLE, 107), // resourceAttributes
    f(2, 2257, 21, K::Message, S::One, NULLABLE, 105), // nonResourceAttributes
    f(3, 6056, 4, K::String, S::One, SKIP_ZERO, 0), // user
    f(4, 2624, 5, K::String, S::Repeated, NULLABLE, 0), // group
    f(5, 10947, 5, K::Items, S::Map, NULLABLE, 92), // extra
    f(6, 11139, 3, K::String, S::One, SKIP_ZERO, 0), // uid
    // 118 autoscaling/v1.CrossVersionObjectReference
    f(1, 11083, 4, K::String, S::One, REQUIRED, 0), // kind
    f(2, 4251, 4, K::String, S::One, REQUIRED, 0), // name
    f(3, 8097, 10, K::String, S::One, SKIP_ZERO, 0), // apiVersion
    // 119 autoscaling/v1.HorizontalPodAutoscaler
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 5346, 4, K::Message, S::One, REQUIRED, 121), // spec
    f(3, 3821, 6, K::Message, S::One, REQUIRED, 122), // status
    // 120 autoscaling/v1.HorizontalPodAutoscalerList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 119), // items
    // 121 autoscaling/v1.HorizontalPodAutoscalerSpec
    f(1, 6636, 14, K::Message, S::One, REQUIRED, 118), // scaleTargetRef
    f(2, 8394, 11, K::Int, S::One, NULLABLE, 0), // minReplicas
    f(3, 8383, 11, K::Int, S::One, REQUIRED, 0), // maxReplicas
    f(4, 408, 30, K::Int, S::One, NULLABLE, 0), // targetCPUUtilizationPercentage
    // 122 autoscaling/v1.HorizontalPodAutoscalerStatus
    f(1, 3623, 18, K::Int, S::One, NULLABLE, 0), // observedGeneration
    f(2, 7130, 13, K::Time, S::One, NULLABLE, 0), // lastScaleTime
    f(3, 5501, 15, K::Int, S::One, REQUIRED, 0), // currentReplicas
    f(4, 5576, 15, K::Int, S::One, REQUIRED, 0), // desiredReplicas
    f(5, 315, 31, K::Int, S::One, NULLABLE, 0), // currentCPUUtilizationPercentage
    // 123 autoscaling/v1.Scale
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 5346, 4, K::Message, S::One, REQUIRED, 86), // spec
    f(3, 3821, 6, K::Message, S::One, REQUIRED, 124), // status
    // 124 autoscaling/v1.ScaleStatus
    f(1, 10158, 8, K::Int, S::One, REQUIRED, 0), // replicas
    f(2, 9596, 8, K::String, S::One, SKIP_ZERO, 0), // selector
    // 125 autoscaling/v2.ContainerResourceMetricSource
    f(1, 4251, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 377, 6, K::Message, S::One, REQUIRED, 140), // target
    f(3, 1595, 9, K::String, S::One, REQUIRED, 0), // container
    // 126 autoscaling/v2.ContainerResourceMetricStatus
    f(1, 4251, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 283, 7, K::Message, S::One, REQUIRED, 141), // current
    f(3, 1595, 9, K::String, S::One, REQUIRED, 0), // container
    // 127 autoscaling/v2.ExternalMetricSource
    f(1, 10465, 6, K::Message, S::One, REQUIRED, 137), // metric
    f(2, 377, 6, K::Message, S::One, REQUIRED, 140), // target
    // 128 autoscaling/v2.ExternalMetricStatus
    f(1, 10465, 6, K::Message, S::One, REQUIRED, 137), // metric
    f(2, 283, 7, K::Message, S::One, REQUIRED, 141), // current
    // 129 autoscaling/v2.HPAScalingPolicy
    f(1, 2085, 4, K::String, S::One, REQUIRED, 0), // type
    f(2, 6086, 5, K::Int, S::One, REQUIRED, 0), // value
    f(3, 7234, 13, K::Int, S::One, REQUIRED, 0), // periodSeconds
    // 130 autoscaling/v2.HPAScalingRules
    f(1, 7817, 12, K::String, S::One, NULLABLE, 0), // selectPolicy
    f(2, 10102, 8, K::Message, S::Repeated, NULLABLE, 129), // policies
    f(3, 907, 26, K::Int, S::One, NULLABLE, 0), // stabilizationWindowSeconds
    f(4, 9731, 9, K::Quantity, S::One, NULLABLE, 0), // tolerance
    // 131 autoscaling/v2.HorizontalPodAutoscaler
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 5346, 4, K::Message, S::One, REQUIRED, 135), // spec
    f(3, 3821, 6, K::Message, S::One, REQUIRED, 136), // status
    // 132 autoscaling/v2.HorizontalPodAutoscalerBehavior
    f(1, 10570, 7, K::Message, S::One, NULLABLE, 130), // scaleUp
    f(2, 9569, 9, K::Message, S::One, NULLABLE, 130), // scaleDown
    // 133 autoscaling/v2.HorizontalPodAutoscalerCondition
    f(1, 2085, 4, K::String, S::One, REQUIRED, 0), // type
    f(2, 3821, 6, K::String, S::One, REQUIRED, 0), // status
    f(3, 3515, 18, K::Time, S::One, REQUIRED, 0), // lastTransitionTime
    f(4, 10838, 6, K::String, S::One, SKIP_ZERO, 0), // reason
    f(5, 4217, 7, K::String, S::One, SKIP_ZERO, 0), // message
    f(6, 3623, 18, K::Int, S::One, NULLABLE, 0), // observedGeneration
    // 134 autoscaling/v2.HorizontalPodAutoscalerList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 131), // items
    // 135 autoscaling/v2.HorizontalPodAutoscalerSpec
    f(1, 6636, 14, K::Message, S::One, REQUIRED, 118), // scaleTargetRef
    f(2, 8394, 11, K::Int, S::One, NULLABLE, 0), // minReplicas
    f(3, 8383, 11, K::Int, S::One, REQUIRED, 0), // maxReplicas
    f(4, 10465, 7, K::Message, S::Repeated, NULLABLE, 138), // metrics
    f(5, 9806, 8, K::Message, S::One, NULLABLE, 132), // behavior
    // 136 autoscaling/v2.HorizontalPodAutoscalerStatus
    f(1, 3623, 18, K::Int, S::One, NULLABLE, 0), // observedGeneration
    f(2, 7130, 13, K::Time, S::One, NULLABLE, 0), // lastScaleTime
    f(3, 5501, 15, K::Int, S::One, SKIP_ZERO, 0), // currentReplicas
    f(4, 5576, 15, K::Int, S::One, REQUIRED, 0), // desiredReplicas
    f(5, 6258, 14, K::Message, S::Repeated, REQUIRED | NULLABLE, 139), // currentMetrics
    f(6, 7263, 10, K::Message, S::Repeated, NULLABLE, 133), // conditions
    // 137 autoscaling/v2.MetricIdentifier
    f(1, 4251, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 9596, 8, K::Message, S::One, NULLABLE, 765), // selector
    // 138 autoscaling/v2.MetricSpec
    f(1, 2085, 4, K::String, S::One, REQUIRED, 0), // type
    f(2, 6538, 6, K::Message, S::One, NULLABLE, 142), // object
    f(3, 11099, 4, K::Message, S::One, NULLABLE, 127), // pods
    f(4, 460, 8, K::Message, S::One, NULLABLE, 144), // resource
    f(5, 2152, 8, K::Message, S::One, NULLABLE, 127), // external
    f(7, 3979, 17, K::Message, S::One, NULLABLE, 125), // containerResource
    // 139 autoscaling/v2.MetricStatus
    f(1, 2085, 4, K::String, S::One, REQUIRED, 0), // type
    f(2, 6538, 6, K::Message, S::One, NULLABLE, 143), // object
    f(3, 11099, 4, K::Message, S::One, NULLABLE, 128), // pods
    f(4, 460, 8, K::Message, S::One, NULLABLE, 145), // resource
    f(5, 2152, 8, K::Message, S::One, NULLABLE, 128), // external
    f(7, 3979, 17, K::Message, S::One, NULLABLE, 126), // containerResource
    // 140 autoscaling/v2.MetricTarget
    f(1, 2085, 4, K::String, S::One, REQUIRED, 0), // type
    f(2, 6086, 5, K::Quantity, S::One, NULLABLE, 0), // value
    f(3, 7505, 12, K::Quantity, S::One, NULLABLE, 0), // averageValue
    f(4, 3281, 18, K::Int, S::One, NULLABLE, 0), // averageUtilization
    // 141 autoscaling/v2.MetricValueStatus
    f(1, 6086, 5, K::Quantity, S::One, NULLABLE, 0), // value
    f(2, 7505, 12, K::Quantity, S::One, NULLABLE, 0), // averageValue
    f(3, 3281, 18, K::Int, S::One, NULLABLE, 0), // averageUtilization
    // 142 autoscaling/v2.ObjectMetricSource
    f(1, 5561, 15, K::Message, S::One, REQUIRED, 118), // describedObject
    f(2, 377, 6, K::Message, S::One, REQUIRED, 140), // target
    f(3, 10465, 6, K::Message, S::One, REQUIRED, 137), // metric
    // 143 autoscaling/v2.ObjectMetricStatus
    f(1, 10465, 6, K::Message, S::One, REQUIRED, 137), // metric
    f(2, 283, 7, K::Message, S::One, REQUIRED, 141), // current
    f(3, 5561, 15, K::Message, S::One, REQUIRED, 118), // describedObject
    // 144 autoscaling/v2.ResourceMetricSource
    f(1, 4251, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 377, 6, K::Message, S::One, REQUIRED, 140), // target
    // 145 autoscaling/v2.ResourceMetricStatus
    f(1, 4251, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 283, 7, K::Message, S::One, REQUIRED, 141), // current
    // 146 batch/v1.CronJob
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 5346, 4, K::Message, S::One, REQUIRED, 148), // spec
    f(3, 3821, 6, K::Message, S::One, REQUIRED, 149), // status
    // 147 batch/v1.CronJobList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 146), // items
    // 148 batch/v1.CronJobSpec
    f(1, 3614, 8, K::String, S::One, REQUIRED, 0), // schedule
    f(2, 1756, 23, K::Int, S::One, NULLABLE, 0), // startingDeadlineSeconds
    f(3, 3962, 17, K::String, S::One, SKIP_ZERO, 0), // concurrencyPolicy
    f(4, 10619, 7, K::Bool, S::One, NULLABLE, 0), // suspend
    f(5, 8339, 11, K::Message, S::One, REQUIRED, 156), // jobTemplate
    f(6, 933, 26, K::Int, S::One, NULLABLE, 0), // successfulJobsHistoryLimit
    f(7, 1891, 22, K::Int, S::One, NULLABLE, 0), // failedJobsHistoryLimit
    f(8, 10206, 8, K::String, S::One, NULLABLE, 0), // timeZone
    // 149 batch/v1.CronJobStatus
    f(1, 2089, 6, K::Message, S::Repeated, NULLABLE, 315), // active
    f(4, 4994, 16, K::Time, S::One, NULLABLE, 0), // lastScheduleTime
    f(5, 3497, 18, K::Time, S::One, NULLABLE, 0), // lastSuccessfulTime
    // 150 batch/v1.Job
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 5346, 4, K::Message, S::One, REQUIRED, 154), // spec
    f(3, 3821, 6, K::Message, S::One, REQUIRED, 155), // status
    // 151 batch/v1.JobCondition
    f(1, 2085, 4, K::String, S::One, REQUIRED, 0), // type
    f(2, 3821, 6, K::String, S::One, REQUIRED, 0), // status
    f(3, 7117, 13, K::Time, S::One, REQUIRED, 0), // lastProbeTime
    f(4, 3515, 18, K::Time, S::One, REQUIRED, 0), // lastTransitionTime
    f(5, 10838, 6, K::String, S::One, SKIP_ZERO, 0), // reason
    f(6, 4217, 7, K::String, S::One, SKIP_ZERO, 0), // message
    // 152 batch/v1.JobList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 150), // items
    // 153 batch/v1.JobSchedulingConfiguration
    f(1, 5282, 16, K::Message, S::One, NULLABLE, 692), // schedulingPolicy
    f(2, 2320, 21, K::Message, S::One, NULLABLE, 667), // schedulingConstraints
    f(3, 6328, 14, K::Message, S::One, NULLABLE, 678), // disruptionMode
    f(4, 6622, 14, K::Message, S::Repeated, NULLABLE, 666), // resourceClaims
    // 154 batch/v1.JobSpec
    f(1, 8449, 11, K::Int, S::One, NULLABLE, 0), // parallelism
    f(2, 8163, 11, K::Int, S::One, NULLABLE, 0), // completions
    f(3, 2089, 21, K::Int, S::One, NULLABLE, 0), // activeDeadlineSeconds
    f(4, 9596, 8, K::Message, S::One, NULLABLE, 765), // selector
    f(5, 6482, 14, K::Bool, S::One, NULLABLE, 0), // manualSelector
    f(6, 3857, 8, K::Message, S::One, REQUIRED, 352), // template
    f(7, 2484, 12, K::Int, S::One, NULLABLE, 0), // backoffLimit
    f(8, 1779, 23, K::Int, S::One, NULLABLE, 0), // ttlSecondsAfterFinished
    f(9, 6216, 14, K::String, S::One, NULLABLE, 0), // completionMode
    f(10, 10619, 7, K::Bool, S::One, NULLABLE, 0), // suspend
    f(11, 5170, 16, K::Message, S::One, NULLABLE, 157), // podFailurePolicy
    f(12, 2484, 20, K::Int, S::One, NULLABLE, 0), // backoffLimitPerIndex
    f(13, 5074, 16, K::Int, S::One, NULLABLE, 0), // maxFailedIndexes
    f(14, 2784, 20, K::String, S::One, NULLABLE, 0), // podReplacementPolicy
    f(15, 9416, 9, K::String, S::One, NULLABLE, 0), // managedBy
    f(16, 7416, 13, K::Message, S::One, NULLABLE, 161), // successPolicy
    f(17, 2320, 10, K::Message, S::One, NULLABLE, 153), // scheduling
    // 155 batch/v1.JobStatus
    f(1, 7263, 10, K::Message, S::Repeated, NULLABLE, 151), // conditions
    f(2, 9650, 9, K::Time, S::One, NULLABLE, 0), // startTime
    f(3, 6230, 14, K::Time, S::One, NULLABLE, 0), // completionTime
    f(4, 2089, 6, K::Int, S::One, SKIP_ZERO, 0), // active
    f(5, 5378, 9, K::Int, S::One, SKIP_ZERO, 0), // succeeded
    f(6, 1891, 6, K::Int, S::One, SKIP_ZERO, 0), // failed
    f(7, 4690, 16, K::String, S::One, SKIP_ZERO, 0), // completedIndexes
    f(8, 1802, 23, K::Message, S::One, NULLABLE, 163), // uncountedTerminatedPods
    f(9, 7273, 5, K::Int, S::One, NULLABLE, 0), // ready
    f(10, 6974, 13, K::String, S::One, NULLABLE, 0), // failedIndexes
    f(11, 3188, 11, K::Int, S::One, NULLABLE, 0), // terminating
    // 156 batch/v1.JobTemplateSpec
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 5346, 4, K::Message, S::One, REQUIRED, 154), // spec
    // 157 batch/v1.PodFailurePolicy
    f(1, 11012, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 160), // rules
    // 158 batch/v1.PodFailurePolicyOnExitCodesRequirement
    f(1, 6883, 13, K::String, S::One, NULLABLE, 0), // containerName
    f(2, 10038, 8, K::String, S::One, REQUIRED, 0), // operator
    f(3, 10910, 6, K::Int, S::Repeated, REQUIRED | NULLABLE, 0), // values
    // 159 batch/v1.PodFailurePolicyOnPodConditionsPattern
    f(1, 2085, 4, K::String, S::One, REQUIRED, 0), // type
    f(2, 3821, 6, K::String, S::One, REQUIRED, 0), // status
    // 160 batch/v1.PodFailurePolicyRule
    f(1, 10646, 6, K::String, S::One, REQUIRED, 0), // action
    f(2, 8438, 11, K::Message, S::One, NULLABLE, 158), // onExitCodes
    f(3, 5771, 15, K::Message, S::Repeated, NULLABLE, 159), // onPodConditions
    // 161 batch/v1.SuccessPolicy
    f(1, 11012, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 162), // rules
    // 162 batch/v1.SuccessPolicyRule
    f(1, 5378, 16, K::String, S::One, NULLABLE, 0), // succeededIndexes
    f(2, 6720, 14, K::Int, S::One, NULLABLE, 0), // succeededCount
    // 163 batch/v1.UncountedTerminatedPods
    f(1, 5378, 9, K::String, S::Repeated, NULLABLE, 0), // succeeded
    f(2, 1891, 6, K::String, S::Repeated, NULLABLE, 0), // failed
    // 164 certificates/v1.CertificateSigningRequest
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 5346, 4, K::Message, S::One, REQUIRED, 167), // spec
    f(3, 3821, 6, K::Message, S::One, REQUIRED, 168), // status
    // 165 certificates/v1.CertificateSigningRequestCondition
    f(1, 2085, 4, K::String, S::One, REQUIRED, 0), // type
    f(2, 10838, 6, K::String, S::One, SKIP_ZERO, 0), // reason
    f(3, 4217, 7, K::String, S::One, SKIP_ZERO, 0), // message
    f(4, 6454, 14, K::Time, S::One, REQUIRED, 0), // lastUpdateTime
    f(5, 3515, 18, K::Time, S::One, REQUIRED, 0), // lastTransitionTime
    f(6, 3821, 6, K::String, S::One, REQUIRED, 0), // status
    // 166 certificates/v1.CertificateSigningRequestList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 164), // items
    // 167 certificates/v1.CertificateSigningRequestSpec
    f(1, 3713, 7, K::Bytes, S::One, REQUIRED | NULLABLE, 0), // request
    f(2, 10222, 8, K::String, S::One, SKIP_ZERO, 0), // username
    f(3, 11139, 3, K::String, S::One, SKIP_ZERO, 0), // uid
    f(4, 10736, 6, K::String, S::Repeated, NULLABLE, 0), // groups
    f(5, 10904, 6, K::String, S::Repeated, NULLABLE, 0), // usages
    f(6, 10947, 5, K::Items, S::Map, NULLABLE, 92), // extra
    f(7, 9070, 10, K::String, S::One, REQUIRED, 0), // signerName
    f(8, 4115, 17, K::Int, S::One, NULLABLE, 0), // expirationSeconds
    // 168 certificates/v1.CertificateSigningRequestStatus
    f(1, 7263, 10, K::Message, S::Repeated, NULLABLE, 165), // conditions
    f(2, 2504, 11, K::Bytes, S::One, SKIP_ZERO | NULLABLE, 0), // certificate
    // 169 certificates/v1.ClusterTrustBundle
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 5346, 4, K::Message, S::One, REQUIRED, 171), // spec
    // 170 certificates/v1.ClusterTrustBundleList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 169), // items
    // 171 certificates/v1.ClusterTrustBundleSpec
    f(1, 9070, 10, K::String, S::One, SKIP_ZERO, 0), // signerName
    f(2, 8625, 11, K::String, S::One, REQUIRED, 0), // trustBundle
    // 172 certificates/v1.PodCertificateRequest
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 5346, 4, K::Message, S::One, REQUIRED, 174), // spec
    f(3, 3821, 6, K::Message, S::One, REQUIRED, 175), // status
    // 173 certificates/v1.PodCertificateRequestList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 172), // items
    // 174 certificates/v1.PodCertificateRequestSpec
    f(1, 9070, 10, K::String, S::One, REQUIRED, 0), // signerName
    f(2, 10507, 7, K::String, S::One, REQUIRED, 0), // podName
    f(3, 10820, 6, K::String, S::One, REQUIRED, 0), // podUID
    f(4, 3785, 18, K::String, S::One, REQUIRED, 0), // serviceAccountName
    f(5, 4506, 17, K::String, S::One, REQUIRED, 0), // serviceAccountUID
    f(6, 10006, 8, K::String, S::One, REQUIRED, 0), // nodeName
    f(7, 10479, 7, K::String, S::One, REQUIRED, 0), // nodeUID
    f(8, 2664, 20, K::Int, S::One, NULLABLE, 0), // maxExpirationSeconds
    f(11, 1162, 25, K::String, S::Map, NULLABLE, 0), // unverifiedUserAnnotations
    f(12, 4557, 17, K::Bytes, S::One, REQUIRED | NULLABLE, 0), // stubPKCS10Request
    // 175 certificates/v1.PodCertificateRequestStatus
    f(1, 7263, 10, K::Message, S::Repeated, NULLABLE, 757), // conditions
    f(2, 2504, 16, K::String, S::One, SKIP_ZERO, 0), // certificateChain
    f(4, 9461, 9, K::Time, S::One, NULLABLE, 0), // notBefore
    f(5, 6174, 14, K::Time, S::One, NULLABLE, 0), // beginRefreshAt
    f(6, 10022, 8, K::Time, S::One, NULLABLE, 0), // notAfter
    // 176 certificates/v1alpha1.PodCertificateRequest
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 5346, 4, K::Message, S::One, REQUIRED, 178), // spec
    f(3, 3821, 6, K::Message, S::One, REQUIRED, 175), // status
    // 177 certificates/v1alpha1.PodCertificateRequestList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 176), // items
    // 178 certificates/v1alpha1.PodCertificateRequestSpec
    f(1, 9070, 10, K::String, S::One, REQUIRED, 0), // signerName
    f(2, 10507, 7, K::String, S::One, REQUIRED, 0), // podName
    f(3, 10820, 6, K::String, S::One, REQUIRED, 0), // podUID
    f(4, 3785, 18, K::String, S::One, REQUIRED, 0), // serviceAccountName
    f(5, 4506, 17, K::String, S::One, REQUIRED, 0), // serviceAccountUID
    f(6, 10006, 8, K::String, S::One, REQUIRED, 0), // nodeName
    f(7, 10479, 7, K::String, S::One, REQUIRED, 0), // nodeUID
    f(8, 2664, 20, K::Int, S::One, NULLABLE, 0), // maxExpirationSeconds
    f(9, 7247, 13, K::Bytes, S::One, REQUIRED | NULLABLE, 0), // pkixPublicKey
    f(10, 4387, 17, K::Bytes, S::One, REQUIRED | NULLABLE, 0), // proofOfPossession
    // 179 certificates/v1beta1.CertificateSigningRequest
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 5346, 4, K::Message, S::One, REQUIRED, 181), // spec
    f(3, 3821, 6, K::Message, S::One, REQUIRED, 168), // status
    // 180 certificates/v1beta1.CertificateSigningRequestList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 179), // items
    // 181 certificates/v1beta1.CertificateSigningRequestSpec
    f(1, 3713, 7, K::Bytes, S::One, REQUIRED | NULLABLE, 0), // request
    f(2, 10222, 8, K::String, S::One, SKIP_ZERO, 0), // username
    f(3, 11139, 3, K::String, S::One, SKIP_ZERO, 0), // uid
    f(4, 10736, 6, K::String, S::Repeated, NULLABLE, 0), // groups
    f(5, 10904, 6, K::String, S::Repeated, NULLABLE, 0), // usages
    f(6, 10947, 5, K::Items, S::Map, NULLABLE, 92), // extra
    f(7, 9070, 10, K::String, S::One, NULLABLE, 0), // signerName
    f(8, 4115, 17, K::Int, S::One, NULLABLE, 0), // expirationSeconds
    // 182 certificates/v1beta1.PodCertificateRequest
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 5346, 4, K::Message, S::One, REQUIRED, 184), // spec
    f(3, 3821, 6, K::Message, S::One, REQUIRED, 175), // status
    // 183 certificates/v1beta1.PodCertificateRequestList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 182), // items
    // 184 certificates/v1beta1.PodCertificateRequestSpec
    f(1, 9070, 10, K::String, S::One, REQUIRED, 0), // signerName
    f(2, 10507, 7, K::String, S::One, REQUIRED, 0), // podName
    f(3, 10820, 6, K::String, S::One, REQUIRED, 0), // podUID
    f(4, 3785, 18, K::String, S::One, REQUIRED, 0), // serviceAccountName
    f(5, 4506, 17, K::String, S::One, REQUIRED, 0), // serviceAccountUID
    f(6, 10006, 8, K::String, S::One, REQUIRED, 0), // nodeName
    f(7, 10479, 7, K::String, S::One, REQUIRED, 0), // nodeUID
    f(8, 2664, 20, K::Int, S::One, NULLABLE, 0), // maxExpirationSeconds
    f(9, 7247, 13, K::Bytes, S::One, REQUIRED | NULLABLE, 0), // pkixPublicKey
    f(10, 4387, 17, K::Bytes, S::One, REQUIRED | NULLABLE, 0), // proofOfPossession
    f(11, 1162, 25, K::String, S::Map, NULLABLE, 0), // unverifiedUserAnnotations
    f(12, 4557, 17, K::Bytes, S::One, REQUIRED | NULLABLE, 0), // stubPKCS10Request
    // 185 coordination/v1.Lease
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 5346, 4, K::Message, S::One, REQUIRED, 187), // spec
    // 186 coordination/v1.LeaseList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 185), // items
    // 187 coordination/v1.LeaseSpec
    f(1, 6370, 14, K::String, S::One, NULLABLE, 0), // holderIdentity
    f(2, 2644, 20, K::Int, S::One, NULLABLE, 0), // leaseDurationSeconds
    f(3, 8031, 11, K::MicroTime, S::One, NULLABLE, 0), // acquireTime
    f(4, 9560, 9, K::MicroTime, S::One, NULLABLE, 0), // renewTime
    f(5, 5010, 16, K::Int, S::One, NULLABLE, 0), // leaseTransitions
    f(6, 10190, 8, K::String, S::One, NULLABLE, 0), // strategy
    f(7, 5876, 15, K::String, S::One, NULLABLE, 0), // preferredHolder
    // 188 coordination/v1alpha2.LeaseCandidate
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 5346, 4, K::Message, S::One, REQUIRED, 190), // spec
    // 189 coordination/v1alpha2.LeaseCandidateList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 188), // items
    // 190 coordination/v1alpha2.LeaseCandidateSpec
    f(1, 9389, 9, K::String, S::One, REQUIRED, 0), // leaseName
    f(2, 10078, 8, K::MicroTime, S::One, NULLABLE, 0), // pingTime
    f(3, 9560, 9, K::MicroTime, S::One, NULLABLE, 0), // renewTime
    f(4, 6857, 13, K::String, S::One, REQUIRED, 0), // binaryVersion
    f(5, 4802, 16, K::String, S::One, SKIP_ZERO, 0), // emulationVersion
    f(6, 10190, 8, K::String, S::One, SKIP_ZERO, 0), // strategy
    // 191 core/v1.AWSElasticBlockStoreVolumeSource
    f(1, 10238, 8, K::String, S::One, REQUIRED, 0), // volumeID
    f(2, 10730, 6, K::String, S::One, SKIP_ZERO, 0), // fsType
    f(3, 1935, 9, K::Int, S::One, SKIP_ZERO, 0), // partition
    f(4, 1979, 8, K::Bool, S::One, SKIP_ZERO, 0), // readOnly
    // 192 core/v1.Affinity
    f(1, 3569, 12, K::Message, S::One, NULLABLE, 293), // nodeAffinity
    f(2, 5846, 11, K::Message, S::One, NULLABLE, 329), // podAffinity
    f(3, 5861, 15, K::Message, S::One, NULLABLE, 329), // podAntiAffinity
    // 193 core/v1.AppArmorProfile
    f(1, 2085, 4, K::String, S::One, REQUIRED, 0), // type
    f(2, 5026, 16, K::String, S::One, NULLABLE, 0), // localhostProfile
    // 194 core/v1.AttachedVolume
    f(1, 4251, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 8750, 10, K::String, S::One, REQUIRED, 0), // devicePath
    // 195 core/v1.AzureDiskVolumeSource
    f(1, 9846, 8, K::String, S::One, REQUIRED, 0), // diskName
    f(2, 10297, 7, K::String, S::One, REQUIRED, 0), // diskURI
    f(3, 8141, 11, K::String, S::One, NULLABLE, 0), // cachingMode
    f(4, 10730, 6, K::String, S::One, NULLABLE, 0), // fsType
    f(5, 1979, 8, K::Bool, S::One, NULLABLE, 0), // readOnly
    f(6, 11083, 4, K::String, S::One, NULLABLE, 0), // kind
    // 196 core/v1.AzureFilePersistentVolumeSource
    f(1, 5966, 10, K::String, S::One, REQUIRED, 0), // secretName
    f(2, 9614, 9, K::String, S::One, REQUIRED, 0), // shareName
    f(3, 1979, 8, K::Bool, S::One, SKIP_ZERO, 0), // readOnly
    f(4, 5966, 15, K::String, S::One, REQUIRED | NULLABLE, 0), // secretNamespace
    // 197 core/v1.AzureFileVolumeSource
    f(1, 5966, 10, K::String, S::One, REQUIRED, 0), // secretName
    f(2, 9614, 9, K::String, S::One, REQUIRED, 0), // shareName
    f(3, 1979, 8, K::Bool, S::One, SKIP_ZERO, 0), // readOnly
    // 198 core/v1.Binding
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 377, 6, K::Message, S::One, REQUIRED, 315), // target
    // 199 core/v1.CSIPersistentVolumeSource
    f(1, 8760, 6, K::String, S::One, REQUIRED, 0), // driver
    f(2, 7937, 12, K::String, S::One, REQUIRED, 0), // volumeHandle
    f(3, 1979, 8, K::Bool, S::One, SKIP_ZERO, 0), // readOnly
    f(4, 10730, 6, K::String, S::One, SKIP_ZERO, 0), // fsType
    f(5, 1187, 16, K::String, S::Map, NULLABLE, 0), // volumeAttributes
    f(6, 777, 26, K::Message, S::One, NULLABLE, 384), // controllerPublishSecretRef
    f(7, 3587, 18, K::Message, S::One, NULLABLE, 384), // nodeStageSecretRef
    f(8, 2704, 20, K::Message, S::One, NULLABLE, 384), // nodePublishSecretRef
    f(9, 1062, 25, K::Message, S::One, NULLABLE, 384), // controllerExpandSecretRef
    f(10, 3055, 19, K::Message, S::One, NULLABLE, 384), // nodeExpandSecretRef
    // 200 core/v1.CSIVolumeSource
    f(1, 8760, 6, K::String, S::One, REQUIRED, 0), // driver
    f(2, 1979, 8, K::Bool, S::One, NULLABLE, 0), // readOnly
    f(3, 10730, 6, K::String, S::One, NULLABLE, 0), // fsType
    f(4, 1187, 16, K::String, S::Map, NULLABLE, 0), // volumeAttributes
    f(5, 2704, 20, K::Message, S::One, NULLABLE, 282), // nodePublishSecretRef
    // 201 core/v1.Capabilities
    f(1, 1212, 3, K::String, S::Repeated, NULLABLE, 0), // add
    f(2, 11059, 4, K::String, S::Repeated, NULLABLE, 0), // drop
    // 202 core/v1.CephFSPersistentVolumeSource
    f(1, 9990, 8, K::String, S::Repeated, REQUIRED | NULLABLE, 0), // monitors
    f(2, 10070, 4, K::String, S::One, SKIP_ZERO, 0), // path
    f(3, 6056, 4, K::String, S::One, SKIP_ZERO, 0), // user
    f(4, 9050, 10, K::String, S::One, SKIP_ZERO, 0), // secretFile
    f(5, 9587, 9, K::Message, S::One, NULLABLE, 384), // secretRef
    f(6, 1979, 8, K::Bool, S::One, SKIP_ZERO, 0), // readOnly
    // 203 core/v1.CephFSVolumeSource
    f(1, 9990, 8, K::String, S::Repeated, REQUIRED | NULLABLE, 0), // monitors
    f(2, 10070, 4, K::String, S::One, SKIP_ZERO, 0), // path
    f(3, 6056, 4, K::String, S::One, SKIP_ZERO, 0), // user
    f(4, 9050, 10, K::String, S::One, SKIP_ZERO, 0), // secretFile
    f(5, 9587, 9, K::Message, S::One, NULLABLE, 282), // secretRef
    f(6, 1979, 8, K::Bool, S::One, SKIP_ZERO, 0), // readOnly
    // 204 core/v1.CinderPersistentVolumeSource
    f(1, 10238, 8, K::String, S::One, REQUIRED, 0), // volumeID
    f(2, 10730, 6, K::String, S::One, SKIP_ZERO, 0), // fsType
    f(3, 1979, 8, K::Bool, S::One, SKIP_ZERO, 0), // readOnly
    f(4, 9587, 9, K::Message, S::One, NULLABLE, 384), // secretRef
    // 205 core/v1.CinderVolumeSource
    f(1, 10238, 8, K::String, S::One, REQUIRED, 0), // volumeID
    f(2, 10730, 6, K::String, S::One, SKIP_ZERO, 0), // fsType
    f(3, 1979, 8, K::Bool, S::One, SKIP_ZERO, 0), // readOnly
    f(4, 9587, 9, K::Message, S::One, NULLABLE, 282), // secretRef
    // 206 core/v1.ClientIPConfig
    f(1, 6748, 14, K::Int, S::One, NULLABLE, 0), // timeoutSeconds
    // 207 core/v1.ClusterTrustBundleProjection
    f(1, 4251, 4, K::String, S::One, NULLABLE, 0), // name
    f(2, 9070, 10, K::String, S::One, NULLABLE, 0), // signerName
    f(3, 4149, 13, K::Message, S::One, NULLABLE, 765), // labelSelector
    f(4, 10070, 4, K::String, S::One, REQUIRED, 0), // path
    f(5, 5816, 8, K::Bool, S::One, NULLABLE, 0), // optional
    f(6, 6056, 4, K::Int, S::One, NULLABLE, 0), // user
    // 208 core/v1.ComponentCondition
    f(1, 2085, 4, K::String, S::One, REQUIRED, 0), // type
    f(2, 3821, 6, K::String, S::One, REQUIRED, 0), // status
    f(3, 4217, 7, K::String, S::One, SKIP_ZERO, 0), // message
    f(4, 9290, 5, K::String, S::One, SKIP_ZERO, 0), // error
    // 209 core/v1.ComponentStatus
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 7263, 10, K::Message, S::Repeated, NULLABLE, 208), // conditions
    // 210 core/v1.ComponentStatusList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 209), // items
    // 211 core/v1.ConfigMap
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 3277, 4, K::String, S::Map, NULLABLE, 0), // data
    f(3, 8690, 10, K::Bytes, S::Map, NULLABLE, 0), // binaryData
    f(4, 9362, 9, K::Bool, S::One, NULLABLE, 0), // immutable
    // 212 core/v1.ConfigMapEnvSource
    f(1, 0, 0, K::Message, S::One, INLINE | REQUIRED, 282), // 
    f(2, 5816, 8, K::Bool, S::One, NULLABLE, 0), // optional
    // 213 core/v1.ConfigMapKeySelector
    f(1, 0, 0, K::Message, S::One, INLINE | REQUIRED, 282), // 
    f(2, 1033, 3, K::String, S::One, REQUIRED, 0), // key
    f(3, 5816, 8, K::Bool, S::One, NULLABLE, 0), // optional
    // 214 core/v1.ConfigMapList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 211), // items
    // 215 core/v1.ConfigMapNodeConfigSource
    f(1, 4251, 9, K::String, S::One, REQUIRED, 0), // namespace
    f(2, 4251, 4, K::String, S::One, REQUIRED, 0), // name
    f(3, 11139, 3, K::String, S::One, SKIP_ZERO, 0), // uid
    f(4, 2804, 15, K::String, S::One, SKIP_ZERO, 0), // resourceVersion
    f(5, 4962, 16, K::String, S::One, REQUIRED, 0), // kubeletConfigKey
    // 216 core/v1.ConfigMapProjection
    f(1, 0, 0, K::Message, S::One, INLINE | REQUIRED, 282), // 
    f(2, 10967, 5, K::Message, S::Repeated, NULLABLE, 271), // items
    f(4, 5816, 8, K::Bool, S::One, NULLABLE, 0), // optional
    // 217 core/v1.ConfigMapVolumeSource
    f(1, 0, 0, K::Message, S::One, INLINE | REQUIRED, 282), // 
    f(2, 10967, 5, K::Message, S::Repeated, NULLABLE, 271), // items
    f(3, 8218, 11, K::Int, S::One, NULLABLE, 0), // defaultMode
    f(4, 5816, 8, K::Bool, S::One, NULLABLE, 0), // optional
    f(5, 8229, 11, K::Int, S::One, NULLABLE, 0), // defaultUser
    // 218 core/v1.Container
    f(1, 4251, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 4898, 5, K::String, S::One, SKIP_ZERO, 0), // image
    f(3, 10276, 7, K::String, S::Repeated, NULLABLE, 0), // command
    f(4, 11051, 4, K::String, S::Repeated, NULLABLE, 0), // args
    f(5, 9190, 10, K::String, S::One, SKIP_ZERO, 0), // workingDir
    f(6, 11002, 5, K::Message, S::Repeated, NULLABLE, 221), // ports
    f(7, 10325, 3, K::Message, S::Repeated, NULLABLE, 242), // env
    f(8, 7868, 9, K::Message, S::One, REQUIRED, 375), // resources
    f(9, 7961, 12, K::Message, S::Repeated, NULLABLE, 411), // volumeMounts
    f(10, 7169, 13, K::Message, S::One, NULLABLE, 357), // livenessProbe
    f(11, 6608, 14, K::Message, S::One, NULLABLE, 357), // readinessProbe
    f(12, 9398, 9, K::Message, S::One, NULLABLE, 272), // lifecycle
    f(13, 2023, 22, K::String, S::One, SKIP_ZERO, 0), // terminationMessagePath
    f(14, 5666, 15, K::String, S::One, SKIP_ZERO, 0), // imagePullPolicy
    f(15, 5981, 15, K::Message, S::One, NULLABLE, 386), // securityContext
    f(16, 9668, 5, K::Bool, S::One, SKIP_ZERO, 0), // stdin
    f(17, 9668, 9, K::Bool, S::One, SKIP_ZERO, 0), // stdinOnce
    f(18, 11136, 3, K::Bool, S::One, SKIP_ZERO, 0), // tty
    f(19, 10325, 7, K::Message, S::Repeated, NULLABLE, 241), // envFrom
    f(20, 1524, 24, K::String, S::One, SKIP_ZERO, 0), // terminationMessagePolicy
    f(21, 7455, 13, K::Message, S::Repeated, NULLABLE, 194), // volumeDevices
    f(22, 7853, 12, K::Message, S::One, NULLABLE, 357), // startupProbe
    f(23, 7745, 12, K::Message, S::Repeated, NULLABLE, 222), // resizePolicy
    f(24, 3767, 13, K::String, S::One, NULLABLE, 0), // restartPolicy
    f(25, 3767, 18, K::Message, S::Repeated, NULLABLE, 223), // restartPolicyRules
    // 219 core/v1.ContainerExtendedResourceRequest
    f(1, 6883, 13, K::String, S::One, REQUIRED, 0), // containerName
    f(2, 7312, 12, K::String, S::One, REQUIRED, 0), // resourceName
    f(3, 8515, 11, K::String, S::One, REQUIRED, 0), // requestName
    // 220 core/v1.ContainerImage
    f(1, 4251, 5, K::String, S::Repeated, REQUIRED | NULLABLE, 0), // names
    f(2, 9632, 9, K::Int, S::One, SKIP_ZERO, 0), // sizeBytes
    // 221 core/v1.ContainerPort
    f(1, 4251, 4, K::String, S::One, SKIP_ZERO, 0), // name
    f(2, 9918, 8, K::Int, S::One, SKIP_ZERO, 0), // hostPort
    f(3, 6896, 13, K::Int, S::One, REQUIRED, 0), // containerPort
    f(4, 10126, 8, K::String, S::One, SKIP_ZERO, 0), // protocol
    f(5, 10374, 6, K::String, S::One, SKIP_ZERO, 0), // hostIP
    // 222 core/v1.ContainerResizePolicy
    f(1, 7312, 12, K::String, S::One, REQUIRED, 0), // resourceName
    f(2, 3767, 13, K::String, S::One, REQUIRED, 0), // restartPolicy
    // 223 core/v1.ContainerRestartRule
    f(1, 10646, 6, K::String, S::One, SKIP_ZERO, 0), // action
    f(2, 9308, 9, K::Message, S::One, NULLABLE, 224), // exitCodes
    // 224 core/v1.ContainerRestartRuleOnExitCodes
    f(1, 10038, 8, K::String, S::One, SKIP_ZERO, 0), // operator
    f(2, 10910, 6, K::Int, S::Repeated, NULLABLE, 0), // values
    // 225 core/v1.ContainerState
    f(1, 10633, 7, K::Message, S::One, NULLABLE, 228), // waiting
    f(2, 2001, 7, K::Message, S::One, NULLABLE, 226), // running
    f(3, 9130, 10, K::Message, S::One, NULLABLE, 227), // terminated
    // 226 core/v1.ContainerStateRunning
    f(1, 9659, 9, K::Time, S::One, REQUIRED, 0), // startedAt
    // 227 core/v1.ContainerStateTerminated
    f(1, 9308, 8, K::Int, S::One, REQUIRED, 0), // exitCode
    f(2, 10862, 6, K::Int, S::One, SKIP_ZERO, 0), // signal
    f(3, 10838, 6, K::String, S::One, SKIP_ZERO, 0), // reason
    f(4, 4217, 7, K::String, S::One, SKIP_ZERO, 0), // message
    f(5, 9659, 9, K::Time, S::One, REQUIRED, 0), // startedAt
    f(6, 8810, 10, K::Time, S::One, REQUIRED, 0), // finishedAt
    f(7, 8185, 11, K::String, S::One, SKIP_ZERO, 0), // containerID
    // 228 core/v1.ContainerStateWaiting
    f(1, 10838, 6, K::String, S::One, SKIP_ZERO, 0), // reason
    f(2, 4217, 7, K::String, S::One, SKIP_ZERO, 0), // message
    // 229 core/v1.ContainerStatus
    f(1, 4251, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 11022, 5, K::Message, S::One, REQUIRED, 225), // state
    f(3, 9380, 9, K::Message, S::One, REQUIRED, 225), // lastState
    f(4, 7273, 5, K::Bool, S::One, REQUIRED, 0), // ready
    f(5, 7769, 12, K::Int, S::One, REQUIRED, 0), // restartCount
    f(6, 4898, 5, K::String, S::One, REQUIRED, 0), // image
    f(7, 10402, 7, K::String, S::One, REQUIRED, 0), // imageID
    f(8, 8185, 11, K::String, S::One, SKIP_ZERO, 0), // containerID
    f(9, 9659, 7, K::Bool, S::One, NULLABLE, 0), // started
    f(10, 1236, 18, K::Quantity, S::Map, NULLABLE, 0), // allocatedResources
    f(11, 7868, 9, K::Message, S::One, NULLABLE, 375), // resources
    f(12, 7961, 12, K::Message, S::Repeated, NULLABLE, 412), // volumeMounts
    f(13, 6056, 4, K::Message, S::One, NULLABLE, 230), // user
    f(14, 1236, 24, K::Message, S::Repeated, NULLABLE, 376), // allocatedResourcesStatus
    f(15, 9090, 10, K::String, S::One, NULLABLE, 0), // stopSignal
    // 230 core/v1.ContainerUser
    f(1, 10977, 5, K::Message, S::One, NULLABLE, 278), // linux
    // 231 core/v1.DaemonEndpoint
    f(1, 492, 4, K::Int, S::One, REQUIRED, 0), // Port
    // 232 core/v1.DownwardAPIProjection
    f(1, 10967, 5, K::Message, S::Repeated, NULLABLE, 233), // items
    // 233 core/v1.DownwardAPIVolumeFile
    f(1, 10070, 4, K::String, S::One, REQUIRED, 0), // path
    f(2, 9870, 8, K::Message, S::One, NULLABLE, 314), // fieldRef
    f(3, 5250, 16, K::Message, S::One, NULLABLE, 369), // resourceFieldRef
    f(4, 11087, 4, K::Int, S::One, NULLABLE, 0), // mode
    f(5, 6056, 4, K::Int, S::One, NULLABLE, 0), // user
    // 234 core/v1.DownwardAPIVolumeSource
    f(1, 10967, 5, K::Message, S::Repeated, NULLABLE, 233), // items
    f(2, 8218, 11, K::Int, S::One, NULLABLE, 0), // defaultMode
    f(3, 8229, 11, K::Int, S::One, NULLABLE, 0), // defaultUser
    // 235 core/v1.EmptyDirVolumeSource
    f(1, 10772, 6, K::String, S::One, SKIP_ZERO, 0), // medium
    f(2, 9641, 9, K::Quantity, S::One, NULLABLE, 0), // sizeLimit
    f(3, 11087, 4, K::Int, S::One, NULLABLE, 0), // mode
    // 236 core/v1.EndpointAddress
    f(1, 651, 2, K::String, S::One, REQUIRED, 0), // ip
    f(2, 9704, 9, K::Message, S::One, NULLABLE, 315), // targetRef
    f(3, 4882, 8, K::String, S::One, SKIP_ZERO, 0), // hostname
    f(4, 10006, 8, K::String, S::One, NULLABLE, 0), // nodeName
    // 237 core/v1.EndpointPort
    f(1, 4251, 4, K::String, S::One, SKIP_ZERO, 0), // name
    f(2, 3133, 4, K::Int, S::One, REQUIRED, 0), // port
    f(3, 10126, 8, K::String, S::One, SKIP_ZERO, 0), // protocol
    f(4, 8108, 11, K::String, S::One, NULLABLE, 0), // appProtocol
    // 238 core/v1.EndpointSubset
    f(1, 9200, 9, K::Message, S::Repeated, NULLABLE, 236), // addresses
    f(2, 4302, 17, K::Message, S::Repeated, NULLABLE, 236), // notReadyAddresses
    f(3, 11002, 5, K::Message, S::Repeated, NULLABLE, 237), // ports
    // 239 core/v1.Endpoints
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 10612, 7, K::Message, S::Repeated, NULLABLE, 238), // subsets
    // 240 core/v1.EndpointsList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 239), // items
    // 241 core/v1.EnvFromSource
    f(1, 10826, 6, K::String, S::One, SKIP_ZERO, 0), // prefix
    f(2, 7553, 12, K::Message, S::One, NULLABLE, 212), // configMapRef
    f(3, 9587, 9, K::Message, S::One, NULLABLE, 212), // secretRef
    // 242 core/v1.EnvVar
    f(1, 4251, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 6086, 5, K::String, S::One, SKIP_ZERO, 0), // value
    f(3, 9740, 9, K::Message, S::One, NULLABLE, 243), // valueFrom
    // 243 core/v1.EnvVarSource
    f(1, 9870, 8, K::Message, S::One, NULLABLE, 314), // fieldRef
    f(2, 5250, 16, K::Message, S::One, NULLABLE, 369), // resourceFieldRef
    f(3, 5486, 15, K::Message, S::One, NULLABLE, 213), // configMapKeyRef
    f(4, 7805, 12, K::Message, S::One, NULLABLE, 213), // secretKeyRef
    f(5, 8790, 10, K::Message, S::One, NULLABLE, 253), // fileKeyRef
    // 244 core/v1.EphemeralContainer
    f(1, 0, 0, K::Message, S::One, INLINE | REQUIRED, 218), // 
    f(2, 3169, 19, K::String, S::One, SKIP_ZERO, 0), // targetContainerName
    // 245 core/v1.EphemeralVolumeSource
    f(1, 2844, 19, K::Message, S::One, NULLABLE, 321), // volumeClaimTemplate
    // 246 core/v1.Event
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 6398, 14, K::Message, S::One, REQUIRED, 315), // involvedObject
    f(3, 10838, 6, K::String, S::One, SKIP_ZERO, 0), // reason
    f(4, 4217, 7, K::String, S::One, SKIP_ZERO, 0), // message
    f(5, 158, 6, K::Message, S::One, REQUIRED, 249), // source
    f(6, 6356, 14, K::Time, S::One, REQUIRED, 0), // firstTimestamp
    f(7, 7143, 13, K::Time, S::One, REQUIRED, 0), // lastTimestamp
    f(8, 631, 5, K::Int, S::One, SKIP_ZERO, 0), // count
    f(9, 2085, 4, K::String, S::One, SKIP_ZERO, 0), // type
    f(10, 9299, 9, K::MicroTime, S::One, REQUIRED, 0), // eventTime
    f(11, 10856, 6, K::Message, S::One, NULLABLE, 248), // series
    f(12, 10646, 6, K::String, S::One, SKIP_ZERO, 0), // action
    f(13, 10542, 7, K::Message, S::One, NULLABLE, 315), // related
    f(14, 3695, 18, K::String, S::One, REQUIRED, 0), // reportingComponent
    f(15, 4421, 17, K::String, S::One, REQUIRED, 0), // reportingInstance
    // 247 core/v1.EventList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 246), // items
    // 248 core/v1.EventSeries
    f(1, 631, 5, K::Int, S::One, SKIP_ZERO, 0), // count
    f(2, 4978, 16, K::MicroTime, S::One, REQUIRED, 0), // lastObservedTime
    // 249 core/v1.EventSource
    f(1, 9254, 9, K::String, S::One, SKIP_ZERO, 0), // component
    f(2, 4882, 4, K::String, S::One, SKIP_ZERO, 0), // host
    // 250 core/v1.EvictionResponder
    f(1, 4251, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 855, 8, K::Int, S::One, REQUIRED | NULLABLE, 0), // priority
    // 251 core/v1.ExecAction
    f(1, 10276, 7, K::String, S::Repeated, NULLABLE, 0), // command
    // 252 core/v1.FCVolumeSource
    f(1, 9120, 10, K::String, S::Repeated, NULLABLE, 0), // targetWWNs
    f(2, 11127, 3, K::Int, S::One, NULLABLE, 0), // lun
    f(3, 10730, 6, K::String, S::One, SKIP_ZERO, 0), // fsType
    f(4, 1979, 8, K::Bool, S::One, SKIP_ZERO, 0), // readOnly
    f(5, 11042, 5, K::String, S::Repeated, NULLABLE, 0), // wwids
    // 253 core/v1.FileKeySelector
    f(1, 6116, 10, K::String, S::One, REQUIRED, 0), // volumeName
    f(2, 10070, 4, K::String, S::One, REQUIRED, 0), // path
    f(3, 1033, 3, K::String, S::One, REQUIRED, 0), // key
    f(4, 5816, 8, K::Bool, S::One, NULLABLE, 0), // optional
    // 254 core/v1.FlexPersistentVolumeSource
    f(1, 8760, 6, K::String, S::One, REQUIRED, 0), // driver
    f(2, 10730, 6, K::String, S::One, SKIP_ZERO, 0), // fsType
    f(3, 9587, 9, K::Message, S::One, NULLABLE, 384), // secretRef
    f(4, 1979, 8, K::Bool, S::One, SKIP_ZERO, 0), // readOnly
    f(5, 10493, 7, K::String, S::Map, NULLABLE, 0), // options
    // 255 core/v1.FlexVolumeSource
    f(1, 8760, 6, K::String, S::One, REQUIRED, 0), // driver
    f(2, 10730, 6, K::String, S::One, SKIP_ZERO, 0), // fsType
    f(3, 9587, 9, K::Message, S::One, NULLABLE, 282), // secretRef
    f(4, 1979, 8, K::Bool, S::One, SKIP_ZERO, 0), // readOnly
    f(5, 10493, 7, K::String, S::Map, NULLABLE, 0), // options
    // 256 core/v1.FlockerVolumeSource
    f(1, 8196, 11, K::String, S::One, SKIP_ZERO, 0), // datasetName
    f(2, 8207, 11, K::String, S::One, SKIP_ZERO, 0), // datasetUUID
    // 257 core/v1.GCEPersistentDiskVolumeSource
    f(1, 10796, 6, K::String, S::One, REQUIRED, 0), // pdName
    f(2, 10730, 6, K::String, S::One, SKIP_ZERO, 0), // fsType
    f(3, 1935, 9, K::Int, S::One, SKIP_ZERO, 0), // partition
    f(4, 1979, 8, K::Bool, S::One, SKIP_ZERO, 0), // readOnly
    // 258 core/v1.GRPCAction
    f(1, 3133, 4, K::Int, S::One, REQUIRED, 0), // port
    f(2, 669, 7, K::String, S::One, REQUIRED | NULLABLE, 0), // service
    f(3, 11087, 4, K::String, S::One, NULLABLE, 0), // mode
    // 259 core/v1.GitRepoVolumeSource
    f(1, 8990, 10, K::String, S::One, REQUIRED, 0), // repository
    f(2, 2824, 8, K::String, S::One, SKIP_ZERO, 0), // revision
    f(3, 9263, 9, K::String, S::One, SKIP_ZERO, 0), // directory
    // 260 core/v1.GlusterfsPersistentVolumeSource
    f(1, 3425, 9, K::String, S::One, REQUIRED, 0), // endpoints
    f(2, 10070, 4, K::String, S::One, REQUIRED, 0), // path
    f(3, 1979, 8, K::Bool, S::One, SKIP_ZERO, 0), // readOnly
    f(4, 3425, 18, K::String, S::One, NULLABLE, 0), // endpointsNamespace
    // 261 core/v1.GlusterfsVolumeSource
    f(1, 3425, 9, K::String, S::One, REQUIRED, 0), // endpoints
    f(2, 10070, 4, K::String, S::One, REQUIRED, 0), // path
    f(3, 1979, 8, K::Bool, S::One, SKIP_ZERO, 0), // readOnly
    // 262 core/v1.HTTPGetAction
    f(1, 10070, 4, K::String, S::One, SKIP_ZERO, 0), // path
    f(2, 3133, 4, K::IntOrString, S::One, REQUIRED, 0), // port
    f(3, 4882, 4, K::String, S::One, SKIP_ZERO, 0), // host
    f(4, 10844, 6, K::String, S::One, SKIP_ZERO, 0), // scheme
    f(5, 8328, 11, K::Message, S::Repeated, NULLABLE, 263), // httpHeaders
    f(6, 10126, 8, K::String, S::One, NULLABLE, 0), // protocol
    // 263 core/v1.HTTPHeader
    f(1, 4251, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 6086, 5, K::String, S::One, REQUIRED, 0), // value
    // 264 core/v1.HostAlias
    f(1, 651, 2, K::String, S::One, REQUIRED, 0), // ip
    f(2, 9353, 9, K::String, S::Repeated, NULLABLE, 0), // hostnames
    // 265 core/v1.HostIP
    f(1, 651, 2, K::String, S::One, REQUIRED, 0), // ip
    // 266 core/v1.HostPathVolumeSource
    f(1, 10070, 4, K::String, S::One, REQUIRED, 0), // path
    f(2, 2085, 4, K::String, S::One, NULLABLE, 0), // type
    // 267 core/v1.ISCSIPersistentVolumeSource
    f(1, 7877, 12, K::String, S::One, REQUIRED, 0), // targetPortal
    f(2, 11124, 3, K::String, S::One, REQUIRED, 0), // iqn
    f(3, 11127, 3, K::Int, S::One, REQUIRED, 0), // lun
    f(4, 6426, 14, K::String, S::One, SKIP_ZERO, 0), // iscsiInterface
    f(5, 10730, 6, K::String, S::One, SKIP_ZERO, 0), // fsType
    f(6, 1979, 8, K::Bool, S::One, SKIP_ZERO, 0), // readOnly
    f(7, 10514, 7, K::String, S::Repeated, NULLABLE, 0), // portals
    f(8, 3945, 17, K::Bool, S::One, SKIP_ZERO, 0), // chapAuthDiscovery
    f(10, 9587, 9, K::Message, S::One, NULLABLE, 384), // secretRef
    f(11, 5471, 15, K::Bool, S::One, SKIP_ZERO, 0), // chapAuthSession
    f(12, 7065, 13, K::String, S::One, NULLABLE, 0), // initiatorName
    // 268 core/v1.ISCSIVolumeSource
    f(1, 7877, 12, K::String, S::One, REQUIRED, 0), // targetPortal
    f(2, 11124, 3, K::String, S::One, REQUIRED, 0), // iqn
    f(3, 11127, 3, K::Int, S::One, REQUIRED, 0), // lun
    f(4, 6426, 14, K::String, S::One, SKIP_ZERO, 0), // iscsiInterface
    f(5, 10730, 6, K::String, S::One, SKIP_ZERO, 0), // fsType
    f(6, 1979, 8, K::Bool, S::One, SKIP_ZERO, 0), // readOnly
    f(7, 10514, 7, K::String, S::Repeated, NULLABLE, 0), // portals
    f(8, 3945, 17, K::Bool, S::One, SKIP_ZERO, 0), // chapAuthDiscovery
    f(10, 9587, 9, K::Message, S::One, NULLABLE, 282), // secretRef
    f(11, 5471, 15, K::Bool, S::One, SKIP_ZERO, 0), // chapAuthSession
    f(12, 7065, 13, K::String, S::One, NULLABLE, 0), // initiatorName
    // 269 core/v1.ImageVolumeSource
    f(1, 8941, 9, K::String, S::One, SKIP_ZERO, 0), // reference
    f(2, 8980, 10, K::String, S::One, SKIP_ZERO, 0), // pullPolicy
    // 270 core/v1.ImageVolumeStatus
    f(1, 9926, 8, K::String, S::One, SKIP_ZERO, 0), // imageRef
    // 271 core/v1.KeyToPath
    f(1, 1033, 3, K::String, S::One, REQUIRED, 0), // key
    f(2, 10070, 4, K::String, S::One, REQUIRED, 0), // path
    f(3, 11087, 4, K::Int, S::One, NULLABLE, 0), // mode
    f(4, 6056, 4, K::Int, S::One, NULLABLE, 0), // user
    // 272 core/v1.Lifecycle
    f(1, 9524, 9, K::Message, S::One, NULLABLE, 273), // postStart
    f(2, 10521, 7, K::Message, S::One, NULLABLE, 273), // preStop
    f(3, 9090, 10, K::String, S::One, NULLABLE, 0), // stopSignal
    // 273 core/v1.LifecycleHandler
    f(1, 11067, 4, K::Message, S::One, NULLABLE, 251), // exec
    f(2, 10395, 7, K::Message, S::One, NULLABLE, 262), // httpGet
    f(3, 9713, 9, K::Message, S::One, NULLABLE, 400), // tcpSocket
    f(4, 11017, 5, K::Message, S::One, NULLABLE, 397), // sleep
    // 274 core/v1.LimitRange
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 5346, 4, K::Message, S::One, REQUIRED, 277), // spec
    // 275 core/v1.LimitRangeItem
    f(1, 2085, 4, K::String, S::One, REQUIRED, 0), // type
    f(2, 2664, 3, K::Quantity, S::Map, NULLABLE, 0), // max
    f(3, 587, 3, K::Quantity, S::Map, NULLABLE, 0), // min
    f(4, 497, 7, K::Quantity, S::Map, NULLABLE, 0), // default
    f(5, 6286, 14, K::Quantity, S::Map, NULLABLE, 0), // defaultRequest
    f(6, 2684, 20, K::Quantity, S::Map, NULLABLE, 0), // maxLimitRequestRatio
    // 276 core/v1.LimitRangeList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 274), // items
    // 277 core/v1.LimitRangeSpec
    f(1, 10766, 6, K::Message, S::Repeated, REQUIRED | NULLABLE, 275), // limits
    // 278 core/v1.LinuxContainerUser
    f(1, 11139, 3, K::Int, S::One, REQUIRED, 0), // uid
    f(2, 11118, 3, K::Int, S::One, REQUIRED, 0), // gid
    f(3, 1500, 18, K::Int, S::Repeated, NULLABLE, 0), // supplementalGroups
    // 279 core/v1.List
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Raw, S::Repeated, REQUIRED | NULLABLE, 0), // items
    // 280 core/v1.LoadBalancerIngress
    f(1, 651, 2, K::String, S::One, SKIP_ZERO, 0), // ip
    f(2, 4882, 8, K::String, S::One, SKIP_ZERO, 0), // hostname
    f(3, 10754, 6, K::String, S::One, NULLABLE, 0), // ipMode
    f(4, 11002, 5, K::Message, S::Repeated, NULLABLE, 354), // ports
    // 281 core/v1.LoadBalancerStatus
    f(1, 4914, 7, K::Message, S::Repeated, NULLABLE, 280), // ingress
    // 282 core/v1.LocalObjectReference
    f(1, 4251, 4, K::String, S::One, SKIP_ZERO, 0), // name
    // 283 core/v1.LocalVolumeSource
    f(1, 10070, 4, K::String, S::One, REQUIRED, 0), // path
    f(2, 10730, 6, K::String, S::One, NULLABLE, 0), // fsType
    // 284 core/v1.ModifyVolumeStatus
    f(1, 377, 31, K::String, S::One, SKIP_ZERO, 0), // targetVolumeAttributesClassName
    f(2, 3821, 6, K::String, S::One, REQUIRED, 0), // status
    // 285 core/v1.NFSVolumeSource
    f(1, 881, 6, K::String, S::One, REQUIRED, 0), // server
    f(2, 10070, 4, K::String, S::One, REQUIRED, 0), // path
    f(3, 1979, 8, K::Bool, S::One, SKIP_ZERO, 0), // readOnly
    // 286 core/v1.Namespace
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 5346, 4, K::Message, S::One, REQUIRED, 289), // spec
    f(3, 3821, 6, K::Message, S::One, REQUIRED, 290), // status
    // 287 core/v1.NamespaceCondition
    f(1, 2085, 4, K::String, S::One, REQUIRED, 0), // type
    f(2, 3821, 6, K::String, S::One, REQUIRED, 0), // status
    f(4, 3515, 18, K::Time, S::One, REQUIRED, 0), // lastTransitionTime
    f(5, 10838, 6, K::String, S::One, SKIP_ZERO, 0), // reason
    f(6, 4217, 7, K::String, S::One, SKIP_ZERO, 0), // message
    // 288 core/v1.NamespaceList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 286), // items
    // 289 core/v1.NamespaceSpec
    f(1, 8800, 10, K::String, S::Repeated, NULLABLE, 0), // finalizers
    // 290 core/v1.NamespaceStatus
    f(1, 10992, 5, K::String, S::One, SKIP_ZERO, 0), // phase
    f(2, 7263, 10, K::Message, S::Repeated, NULLABLE, 287), // conditions
    // 291 core/v1.Node
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 5346, 4, K::Message, S::One, REQUIRED, 310), // spec
    f(3, 3821, 6, K::Message, S::One, REQUIRED, 311), // status
    // 292 core/v1.NodeAddress
    f(1, 2085, 4, K::String, S::One, REQUIRED, 0), // type
    f(2, 8042, 7, K::String, S::One, REQUIRED, 0), // address
    // 293 core/v1.NodeAffinity
    f(1, 95, 46, K::Message, S::One, NULLABLE, 307), // requiredDuringSchedulingIgnoredDuringExecution
    f(2, 48, 47, K::Message, S::Repeated, NULLABLE, 356), // preferredDuringSchedulingIgnoredDuringExecution
    // 294 core/v1.NodeAllocatableMappedResources
    f(1, 4251, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 10142, 8, K::Quantity, S::One, REQUIRED | NULLABLE, 0), // quantity
    // 295 core/v1.NodeAllocatableOverheadResources
    f(1, 4251, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 10802, 6, K::Quantity, S::One, NULLABLE, 0), // perPod
    f(3, 7709, 12, K::Quantity, S::One, NULLABLE, 0), // perContainer
    // 296 core/v1.NodeAllocatableResourceClaimStatus
    f(1, 4455, 17, K::String, S::One, REQUIRED, 0), // resourceClaimName
    f(2, 8730, 10, K::String, S::Repeated, NULLABLE, 0), // containers
    f(3, 7868, 9, K::Quantity, S::Map, NULLABLE, 0), // resources
    f(4, 10451, 7, K::Message, S::Repeated, NULLABLE, 294), // mapping
    f(5, 10054, 8, K::Message, S::Repeated, NULLABLE, 295), // overhead
    // 297 core/v1.NodeCondition
    f(1, 2085, 4, K::String, S::One, REQUIRED, 0), // type
    f(2, 3821, 6, K::String, S::One, REQUIRED, 0), // status
    f(3, 4166, 17, K::Time, S::One, REQUIRED, 0), // lastHeartbeatTime
    f(4, 3515, 18, K::Time, S::One, REQUIRED, 0), // lastTransitionTime
    f(5, 10838, 6, K::String, S::One, SKIP_ZERO, 0), // reason
    f(6, 4217, 7, K::String, S::One, SKIP_ZERO, 0), // message
    // 298 core/v1.NodeConfigSource
    f(2, 5486, 9, K::Message, S::One, NULLABLE, 215), // configMap
    // 299 core/v1.NodeConfigStatus
    f(1, 9782, 8, K::Message, S::One, NULLABLE, 298), // assigned
    f(2, 2089, 6, K::Message, S::One, NULLABLE, 298), // active
    f(3, 7104, 13, K::Message, S::One, NULLABLE, 298), // lastKnownGood
    f(4, 9290, 5, K::String, S::One, SKIP_ZERO, 0), // error
    // 300 core/v1.NodeDaemonEndpoints
    f(1, 5681, 15, K::Message, S::One, REQUIRED, 231), // kubeletEndpoint
    // 301 core/v1.NodeFeatures
    f(1, 1500, 24, K::Bool, S::One, NULLABLE, 0), // supplementalGroupsPolicy
    // 302 core/v1.NodeList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 291), // items
    // 303 core/v1.NodePodPreemptionPolicy
    f(1, 1641, 23, K::String, S::Repeated, NULLABLE, 0), // disableResizePreemption
    // 304 core/v1.NodeProxyOptions
    f(1, 10070, 4, K::String, S::One, SKIP_ZERO, 0), // path
    // 305 core/v1.NodeRuntimeHandler
    f(1, 4251, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 9862, 8, K::Message, S::One, NULLABLE, 306), // features
    // 306 core/v1.NodeRuntimeHandlerFeatures
    f(1, 1733, 23, K::Bool, S::One, NULLABLE, 0), // recursiveReadOnlyMounts
    f(2, 6790, 14, K::Bool, S::One, NULLABLE, 0), // userNamespaces
    // 307 core/v1.NodeSelector
    f(1, 4268, 17, K::Message, S::Repeated, REQUIRED | NULLABLE, 309), // nodeSelectorTerms
    // 308 core/v1.NodeSelectorRequirement
    f(1, 1033, 3, K::String, S::One, REQUIRED, 0), // key
    f(2, 10038, 8, K::String, S::One, REQUIRED, 0), // operator
    f(3, 10910, 6, K::String, S::Repeated, NULLABLE, 0), // values
    // 309 core/v1.NodeSelectorTerm
    f(1, 5058, 16, K::Message, S::Repeated, NULLABLE, 308), // matchExpressions
    f(2, 8350, 11, K::Message, S::Repeated, NULLABLE, 308), // matchFields
    // 310 core/v1.NodeSpec
    f(1, 10086, 7, K::String, S::One, SKIP_ZERO, 0), // podCIDR
    f(2, 8770, 10, K::String, S::One, SKIP_ZERO, 0), // externalID
    f(3, 8970, 10, K::String, S::One, SKIP_ZERO, 0), // providerID
    f(4, 7442, 13, K::Bool, S::One, SKIP_ZERO, 0), // unschedulable
    f(5, 10892, 6, K::Message, S::Repeated, NULLABLE, 401), // taints
    f(6, 7565, 12, K::Message, S::One, NULLABLE, 298), // configSource
    f(7, 10086, 8, K::String, S::Repeated, NULLABLE, 0), // podCIDRs
    f(8, 3112, 19, K::Message, S::One, NULLABLE, 303), // podPreemptionPolicy
    // 311 core/v1.NodeStatus
    f(1, 3317, 8, K::Quantity, S::Map, NULLABLE, 0), // capacity
    f(2, 8064, 11, K::Quantity, S::Map, NULLABLE, 0), // allocatable
    f(3, 10992, 5, K::String, S::One, SKIP_ZERO, 0), // phase
    f(4, 7263, 10, K::Message, S::Repeated, NULLABLE, 297), // conditions
    f(5, 9200, 9, K::Message, S::Repeated, NULLABLE, 292), // addresses
    f(6, 5531, 15, K::Message, S::One, REQUIRED, 300), // daemonEndpoints
    f(7, 9998, 8, K::Message, S::One, REQUIRED, 313), // nodeInfo
    f(8, 10742, 6, K::Message, S::Repeated, NULLABLE, 220), // images
    f(9, 7985, 12, K::String, S::Repeated, NULLABLE, 0), // volumesInUse
    f(10, 6131, 15, K::Message, S::Repeated, NULLABLE, 194), // volumesAttached
    f(11, 5486, 6, K::Message, S::One, NULLABLE, 299), // config
    f(12, 5921, 15, K::Message, S::Repeated, NULLABLE, 305), // runtimeHandlers
    f(13, 9862, 8, K::Message, S::One, NULLABLE, 301), // features
    f(14, 4754, 16, K::String, S::Repeated, NULLABLE, 0), // declaredFeatures
    // 312 core/v1.NodeSwapStatus
    f(1, 3317, 8, K::Int, S::One, NULLABLE, 0), // capacity
    // 313 core/v1.NodeSystemInfo
    f(1, 9407, 9, K::String, S::One, REQUIRED, 0), // machineID
    f(2, 9110, 10, K::String, S::One, REQUIRED, 0), // systemUUID
    f(3, 10652, 6, K::String, S::One, REQUIRED, 0), // bootID
    f(4, 7091, 13, K::String, S::One, REQUIRED, 0), // kernelVersion
    f(5, 10500, 7, K::String, S::One, REQUIRED, 0), // osImage
    f(6, 1595, 23, K::String, S::One, REQUIRED, 0), // containerRuntimeVersion
    f(7, 6440, 14, K::String, S::One, REQUIRED, 0), // kubeletVersion
    f(8, 4946, 16, K::String, S::One, REQUIRED, 0), // kubeProxyVersion
    f(9, 5801, 15, K::String, S::One, REQUIRED, 0), // operatingSystem
    f(10, 7481, 12, K::String, S::One, REQUIRED, 0), // architecture
    f(11, 11107, 4, K::Message, S::One, NULLABLE, 312), // swap
    f(12, 2001, 22, K::Bool, S::One, NULLABLE, 0), // runningInUserNamespace
    // 314 core/v1.ObjectFieldSelector
    f(1, 8097, 10, K::String, S::One, SKIP_ZERO, 0), // apiVersion
    f(2, 9317, 9, K::String, S::One, REQUIRED, 0), // fieldPath
    // 315 core/v1.ObjectReference
    f(1, 11083, 4, K::String, S::One, SKIP_ZERO, 0), // kind
    f(2, 4251, 9, K::String, S::One, SKIP_ZERO, 0), // namespace
    f(3, 4251, 4, K::String, S::One, SKIP_ZERO, 0), // name
    f(4, 11139, 3, K::String, S::One, SKIP_ZERO, 0), // uid
    f(5, 8097, 10, K::String, S::One, SKIP_ZERO, 0), // apiVersion
    f(6, 2804, 15, K::String, S::One, SKIP_ZERO, 0), // resourceVersion
    f(7, 9317, 9, K::String, S::One, SKIP_ZERO, 0), // fieldPath
    // 316 core/v1.PersistentVolume
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 5346, 4, K::Message, S::One, REQUIRED, 325), // spec
    f(3, 3821, 6, K::Message, S::One, REQUIRED, 326), // status
    // 317 core/v1.PersistentVolumeClaim
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 5346, 4, K::Message, S::One, REQUIRED, 319), // spec
    f(3, 3821, 6, K::Message, S::One, REQUIRED, 320), // status
    // 318 core/v1.PersistentVolumeClaimList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 317), // items
    // 319 core/v1.PersistentVolumeClaimSpec
    f(1, 8020, 11, K::String, S::Repeated, NULLABLE, 0), // accessModes
    f(2, 7868, 9, K::Message, S::One, REQUIRED, 415), // resources
    f(3, 6116, 10, K::String, S::One, SKIP_ZERO, 0), // volumeName
    f(4, 9596, 8, K::Message, S::One, NULLABLE, 765), // selector
    f(5, 5362, 16, K::String, S::One, NULLABLE, 0), // storageClassName
    f(6, 9160, 10, K::String, S::One, NULLABLE, 0), // volumeMode
    f(7, 6935, 10, K::Message, S::One, NULLABLE, 406), // dataSource
    f(8, 6935, 13, K::Message, S::One, NULLABLE, 407), // dataSourceRef
    f(9, 1187, 25, K::String, S::One, NULLABLE, 0), // volumeAttributesClassName
    // 320 core/v1.PersistentVolumeClaimStatus
    f(1, 10992, 5, K::String, S::One, SKIP_ZERO, 0), // phase
    f(2, 8020, 11, K::String, S::Repeated, NULLABLE, 0), // accessModes
    f(3, 3317, 8, K::Quantity, S::Map, NULLABLE, 0), // capacity
    f(4, 7263, 10, K::Message, S::Repeated, NULLABLE, 151), // conditions
    f(5, 1236, 18, K::Quantity, S::Map, NULLABLE, 0), // allocatedResources
    f(7, 1037, 25, K::String, S::Map, NULLABLE, 0), // allocatedResourceStatuses
    f(8, 283, 32, K::String, S::One, NULLABLE, 0), // currentVolumeAttributesClassName
    f(9, 3551, 18, K::Message, S::One, NULLABLE, 284), // modifyVolumeStatus
    f(10, 7661, 12, K::Message, S::One, NULLABLE, 410), // healthStatus
    // 321 core/v1.PersistentVolumeClaimTemplate
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 5346, 4, K::Message, S::One, REQUIRED, 319), // spec
    // 322 core/v1.PersistentVolumeClaimVolumeSource
    f(1, 9245, 9, K::String, S::One, REQUIRED, 0), // claimName
    f(2, 1979, 8, K::Bool, S::One, SKIP_ZERO, 0), // readOnly
    // 323 core/v1.PersistentVolumeList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 316), // items
    // 324 core/v1.PersistentVolumeSource
    f(1, 4132, 17, K::Message, S::One, NULLABLE, 257), // gcePersistentDisk
    f(2, 2464, 20, K::Message, S::One, NULLABLE, 191), // awsElasticBlockStore
    f(3, 9910, 8, K::Message, S::One, NULLABLE, 266), // hostPath
    f(4, 9335, 9, K::Message, S::One, NULLABLE, 260), // glusterfs
    f(5, 11130, 3, K::Message, S::One, NULLABLE, 285), // nfs
    f(6, 11133, 3, K::Message, S::One, NULLABLE, 361), // rbd
    f(7, 6426, 5, K::Message, S::One, NULLABLE, 267), // iscsi
    f(8, 10670, 6, K::Message, S::One, NULLABLE, 204), // cinder
    f(9, 10664, 6, K::Message, S::One, NULLABLE, 202), // cephfs
    f(10, 5500, 2, K::Message, S::One, NULLABLE, 252), // fc
    f(11, 10346, 7, K::Message, S::One, NULLABLE, 256), // flocker
    f(12, 8820, 10, K::Message, S::One, NULLABLE, 254), // flexVolume
    f(13, 9236, 9, K::Message, S::One, NULLABLE, 196), // azureFile
    f(14, 7468, 13, K::Message, S::One, NULLABLE, 418), // vsphereVolume
    f(15, 10535, 7, K::Message, S::One, NULLABLE, 360), // quobyte
    f(16, 9227, 9, K::Message, S::One, NULLABLE, 195), // azureDisk
    f(17, 2744, 20, K::Message, S::One, NULLABLE, 327), // photonPersistentDisk
    f(18, 6580, 14, K::Message, S::One, NULLABLE, 355), // portworxVolume
    f(19, 10563, 7, K::Message, S::One, NULLABLE, 378), // scaleIO
    f(20, 5026, 5, K::Message, S::One, NULLABLE, 283), // local
    f(21, 9677, 9, K::Message, S::One, NULLABLE, 398), // storageos
    f(22, 6428, 3, K::Message, S::One, NULLABLE, 199), // csi
    // 325 core/v1.PersistentVolumeSpec
    f(1, 3317, 8, K::Quantity, S::Map, NULLABLE, 0), // capacity
    f(2, 0, 0, K::Message, S::One, INLINE | REQUIRED, 324), // 
    f(3, 8020, 11, K::String, S::Repeated, NULLABLE, 0), // accessModes
    f(4, 9822, 8, K::Message, S::One, NULLABLE, 315), // claimRef
    f(5, 526, 29, K::String, S::One, SKIP_ZERO, 0), // persistentVolumeReclaimPolicy
    f(6, 5362, 16, K::String, S::One, SKIP_ZERO, 0), // storageClassName
    f(7, 7685, 12, K::String, S::Repeated, NULLABLE, 0), // mountOptions
    f(8, 9160, 10, K::String, S::One, NULLABLE, 0), // volumeMode
    f(9, 3569, 12, K::Message, S::One, NULLABLE, 413), // nodeAffinity
    f(10, 1187, 25, K::String, S::One, NULLABLE, 0), // volumeAttributesClassName
    // 326 core/v1.PersistentVolumeStatus
    f(1, 10992, 5, K::String, S::One, SKIP_ZERO, 0), // phase
    f(2, 4217, 7, K::String, S::One, SKIP_ZERO, 0), // message
    f(3, 10838, 6, K::String, S::One, SKIP_ZERO, 0), // reason
    f(4, 1664, 23, K::Time, S::One, NULLABLE, 0), // lastPhaseTransitionTime
    // 327 core/v1.PhotonPersistentDiskVolumeSource
    f(1, 11095, 4, K::String, S::One, REQUIRED, 0), // pdID
    f(2, 10730, 6, K::String, S::One, SKIP_ZERO, 0), // fsType
    // 328 core/v1.Pod
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 5346, 4, K::Message, S::One, REQUIRED, 347), // spec
    f(3, 3821, 6, K::Message, S::One, REQUIRED, 348), // status
    // 329 core/v1.PodAffinity
    f(1, 95, 46, K::Message, S::Repeated, NULLABLE, 330), // requiredDuringSchedulingIgnoredDuringExecution
    f(2, 48, 47, K::Message, S::Repeated, NULLABLE, 419), // preferredDuringSchedulingIgnoredDuringExecution
    // 330 core/v1.PodAffinityTerm
    f(1, 4149, 13, K::Message, S::One, NULLABLE, 765), // labelSelector
    f(2, 8900, 10, K::String, S::Repeated, NULLABLE, 0), // namespaces
    f(3, 7901, 11, K::String, S::One, REQUIRED, 0), // topologyKey
    f(4, 4251, 17, K::Message, S::One, NULLABLE, 765), // namespaceSelector
    f(5, 4237, 14, K::String, S::Repeated, NULLABLE, 0), // matchLabelKeys
    f(6, 4234, 17, K::String, S::Repeated, NULLABLE, 0), // mismatchLabelKeys
    // 331 core/v1.PodAttachOptions
    f(1, 9668, 5, K::Bool, S::One, SKIP_ZERO, 0), // stdin
    f(2, 10880, 6, K::Bool, S::One, SKIP_ZERO, 0), // stdout
    f(3, 10874, 6, K::Bool, S::One, SKIP_ZERO, 0), // stderr
    f(4, 11136, 3, K::Bool, S::One, SKIP_ZERO, 0), // tty
    f(5, 1595, 9, K::String, S::One, SKIP_ZERO, 0), // container
    // 332 core/v1.PodCertificateProjection
    f(1, 9070, 10, K::String, S::One, SKIP_ZERO, 0), // signerName
    f(2, 10423, 7, K::String, S::One, SKIP_ZERO, 0), // keyType
    f(3, 2664, 20, K::Int, S::One, NULLABLE, 0), // maxExpirationSeconds
    f(4, 2544, 20, K::String, S::One, SKIP_ZERO, 0), // credentialBundlePath
    f(5, 10416, 7, K::String, S::One, SKIP_ZERO, 0), // keyPath
    f(6, 2504, 20, K::String, S::One, SKIP_ZERO, 0), // certificateChainPath
    f(7, 6056, 15, K::String, S::Map, NULLABLE, 0), // userAnnotations
    f(8, 6056, 4, K::Int, S::One, NULLABLE, 0), // user
    // 333 core/v1.PodCondition
    f(1, 2085, 4, K::String, S::One, REQUIRED, 0), // type
    f(2, 3821, 6, K::String, S::One, REQUIRED, 0), // status
    f(3, 7117, 13, K::Time, S::One, REQUIRED, 0), // lastProbeTime
    f(4, 3515, 18, K::Time, S::One, REQUIRED, 0), // lastTransitionTime
    f(5, 10838, 6, K::String, S::One, SKIP_ZERO, 0), // reason
    f(6, 4217, 7, K::String, S::One, SKIP_ZERO, 0), // message
    f(7, 3623, 18, K::Int, S::One, SKIP_ZERO, 0), // observedGeneration
    // 334 core/v1.PodDNSConfig
    f(1, 8405, 11, K::String, S::Repeated, NULLABLE, 0), // nameservers
    f(2, 10174, 8, K::String, S::Repeated, NULLABLE, 0), // searches
    f(3, 10493, 7, K::Message, S::Repeated, NULLABLE, 335), // options
    // 335 core/v1.PodDNSConfigOption
    f(1, 4251, 4, K::String, S::One, SKIP_ZERO, 0), // name
    f(2, 6086, 5, K::String, S::One, NULLABLE, 0), // value
    // 336 core/v1.PodExecOptions
    f(1, 9668, 5, K::Bool, S::One, SKIP_ZERO, 0), // stdin
    f(2, 10880, 6, K::Bool, S::One, SKIP_ZERO, 0), // stdout
    f(3, 10874, 6, K::Bool, S::One, SKIP_ZERO, 0), // stderr
    f(4, 11136, 3, K::Bool, S::One, SKIP_ZERO, 0), // tty
    f(5, 1595, 9, K::String, S::One, SKIP_ZERO, 0), // container
    f(6, 10276, 7, K::String, S::Repeated, REQUIRED | NULLABLE, 0), // command
    // 337 core/v1.PodExtendedResourceClaimStatus
    f(1, 5891, 15, K::Message, S::Repeated, REQUIRED | NULLABLE, 219), // requestMappings
    f(2, 4455, 17, K::String, S::One, REQUIRED, 0), // resourceClaimName
    // 338 core/v1.PodList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 328), // items
    // 339 core/v1.PodLogOptions
    f(1, 1595, 9, K::String, S::One, SKIP_ZERO, 0), // container
    f(2, 10718, 6, K::Bool, S::One, SKIP_ZERO, 0), // follow
    f(3, 10118, 8, K::Bool, S::One, SKIP_ZERO, 0), // previous
    f(4, 7829, 12, K::Int, S::One, NULLABLE, 0), // sinceSeconds
    f(5, 9623, 9, K::Time, S::One, NULLABLE, 0), // sinceTime
    f(6, 9140, 10, K::Bool, S::One, SKIP_ZERO, 0), // timestamps
    f(7, 9695, 9, K::Int, S::One, NULLABLE, 0), // tailLines
    f(8, 8860, 10, K::Int, S::One, NULLABLE, 0), // limitBytes
    f(9, 641, 28, K::Bool, S::One, SKIP_ZERO, 0), // insecureSkipTLSVerifyBackend
    f(10, 10886, 6, K::String, S::One, NULLABLE, 0), // stream
    // 340 core/v1.PodOS
    f(1, 4251, 4, K::String, S::One, REQUIRED, 0), // name
    // 341 core/v1.PodPortForwardOptions
    f(1, 11002, 5, K::Int, S::Repeated, NULLABLE, 0), // ports
    // 342 core/v1.PodReadinessGate
    f(1, 6870, 13, K::String, S::One, REQUIRED, 0), // conditionType
    // 343 core/v1.PodResourceClaim
    f(1, 4251, 4, K::String, S::One, REQUIRED, 0), // name
    f(3, 4455, 17, K::String, S::One, NULLABLE, 0), // resourceClaimName
    f(4, 1112, 25, K::String, S::One, NULLABLE, 0), // resourceClaimTemplateName
    // 344 core/v1.PodResourceClaimStatus
    f(1, 4251, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 4455, 17, K::String, S::One, NULLABLE, 0), // resourceClaimName
    // 345 core/v1.PodSchedulingGroup
    f(1, 7721, 12, K::String, S::One, NULLABLE, 0), // podGroupName
    // 346 core/v1.PodSecurityContext
    f(1, 6650, 14, K::Message, S::One, NULLABLE, 377), // seLinuxOptions
    f(2, 7351, 9, K::Int, S::One, NULLABLE, 0), // runAsUser
    f(3, 7781, 12, K::Bool, S::One, NULLABLE, 0), // runAsNonRoot
    f(4, 1500, 18, K::Int, S::Repeated, NULLABLE, 0), // supplementalGroups
    f(5, 2998, 7, K::Int, S::One, NULLABLE, 0), // fsGroup
    f(6, 9040, 10, K::Int, S::One, NULLABLE, 0), // runAsGroup
    f(7, 10626, 7, K::Message, S::Repeated, NULLABLE, 263), // sysctls
    f(8, 6804, 14, K::Message, S::One, NULLABLE, 420), // windowsOptions
    f(9, 2998, 19, K::String, S::One, NULLABLE, 0), // fsGroupChangePolicy
    f(10, 6664, 14, K::Message, S::One, NULLABLE, 193), // seccompProfile
    f(11, 5456, 15, K::Message, S::One, NULLABLE, 193), // appArmorProfile
    f(12, 1500, 24, K::String, S::One, NULLABLE, 0), // supplementalGroupsPolicy
    f(13, 3150, 19, K::String, S::One, NULLABLE, 0), // seLinuxChangePolicy
    // 347 core/v1.PodSpec
    f(1, 6131, 7, K::Message, S::Repeated, NULLABLE, 408), // volumes
    f(2, 8730, 10, K::Message, S::Repeated, REQUIRED | NULLABLE, 218), // containers
    f(3, 3767, 13, K::String, S::One, SKIP_ZERO, 0), // restartPolicy
    f(4, 584, 29, K::Int, S::One, NULLABLE, 0), // terminationGracePeriodSeconds
    f(5, 2089, 21, K::Int, S::One, NULLABLE, 0), // activeDeadlineSeconds
    f(6, 9281, 9, K::String, S::One, SKIP_ZERO, 0), // dnsPolicy
    f(7, 4268, 12, K::String, S::Map, NULLABLE, 0), // nodeSelector
    f(8, 3785, 18, K::String, S::One, SKIP_ZERO, 0), // serviceAccountName
    f(9, 669, 14, K::String, S::One, SKIP_ZERO, 0), // serviceAccount
    f(10, 10006, 8, K::String, S::One, SKIP_ZERO, 0), // nodeName
    f(11, 8306, 11, K::Bool, S::One, SKIP_ZERO, 0), // hostNetwork
    f(12, 10388, 7, K::Bool, S::One, SKIP_ZERO, 0), // hostPID
    f(13, 10374, 7, K::Bool, S::One, SKIP_ZERO, 0), // hostIPC
    f(14, 5981, 15, K::Message, S::One, NULLABLE, 346), // securityContext
    f(15, 4898, 16, K::Message, S::Repeated, NULLABLE, 282), // imagePullSecrets
    f(16, 4882, 8, K::String, S::One, SKIP_ZERO, 0), // hostname
    f(17, 9686, 9, K::String, S::One, SKIP_ZERO, 0), // subdomain
    f(18, 9766, 8, K::Message, S::One, NULLABLE, 192), // affinity
    f(19, 7364, 13, K::String, S::One, SKIP_ZERO, 0), // schedulerName
    f(20, 6384, 14, K::Message, S::Repeated, NULLABLE, 218), // initContainers
    f(21, 613, 28, K::Bool, S::One, NULLABLE, 0), // automountServiceAccountToken
    f(22, 8614, 11, K::Message, S::Repeated, NULLABLE, 402), // tolerations
    f(23, 8295, 11, K::Message, S::Repeated, NULLABLE, 264), // hostAliases
    f(24, 4370, 17, K::String, S::One, SKIP_ZERO, 0), // priorityClassName
    f(25, 855, 8, K::Int, S::One, NULLABLE, 0), // priority
    f(26, 9272, 9, K::Message, S::One, NULLABLE, 334), // dnsConfig
    f(27, 2362, 21, K::Bool, S::One, NULLABLE, 0), // shareProcessNamespace
    f(28, 6594, 14, K::Message, S::Repeated, NULLABLE, 342), // readinessGates
    f(29, 5266, 16, K::String, S::One, NULLABLE, 0), // runtimeClassName
    f(30, 3407, 18, K::Bool, S::One, NULLABLE, 0), // enableServiceLinks
    f(31, 5186, 16, K::String, S::One, NULLABLE, 0), // preemptionPolicy
    f(32, 10054, 8, K::Quantity, S::Map, NULLABLE, 0), // overhead
    f(33, 1137, 25, K::Message, S::Repeated, NULLABLE, 405), // topologySpreadConstraints
    f(34, 2960, 19, K::Message, S::Repeated, NULLABLE, 244), // ephemeralContainers
    f(35, 4523, 17, K::Bool, S::One, NULLABLE, 0), // setHostnameAsFQDN
    f(36, 734, 2, K::Message, S::One, NULLABLE, 340), // os
    f(37, 9344, 9, K::Bool, S::One, NULLABLE, 0), // hostUsers
    f(38, 5936, 15, K::Message, S::Repeated, NULLABLE, 340), // schedulingGates
    f(39, 6622, 14, K::Message, S::Repeated, NULLABLE, 343), // resourceClaims
    f(40, 7868, 9, K::Message, S::One, NULLABLE, 375), // resources
    f(41, 4882, 16, K::String, S::One, NULLABLE, 0), // hostnameOverride
    f(42, 8669, 11, K::Message, S::One, NULLABLE, 421), // workloadRef
    f(43, 5951, 15, K::Message, S::One, NULLABLE, 345), // schedulingGroup
    f(44, 3443, 18, K::Message, S::Repeated, NULLABLE, 250), // evictionResponders
    // 348 core/v1.PodStatus
    f(1, 10992, 5, K::String, S::One, SKIP_ZERO, 0), // phase
    f(2, 7263, 10, K::Message, S::Repeated, NULLABLE, 333), // conditions
    f(3, 4217, 7, K::String, S::One, SKIP_ZERO, 0), // message
    f(4, 10838, 6, K::String, S::One, SKIP_ZERO, 0), // reason
    f(5, 10374, 6, K::String, S::One, SKIP_ZERO, 0), // hostIP
    f(6, 10814, 5, K::String, S::One, SKIP_ZERO, 0), // podIP
    f(7, 9650, 9, K::Time, S::One, NULLABLE, 0), // startTime
    f(8, 3996, 17, K::Message, S::Repeated, NULLABLE, 229), // containerStatuses
    f(9, 10134, 8, K::String, S::One, SKIP_ZERO, 0), // qosClass
    f(10, 2194, 21, K::Message, S::Repeated, NULLABLE, 229), // initContainerStatuses
    f(11, 4285, 17, K::String, S::One, SKIP_ZERO, 0), // nominatedNodeName
    f(12, 10814, 6, K::Message, S::Repeated, NULLABLE, 265), // podIPs
    f(13, 829, 26, K::Message, S::Repeated, NULLABLE, 229), // ephemeralContainerStatuses
    f(14, 7745, 6, K::String, S::One, SKIP_ZERO, 0), // resize
    f(15, 2299, 21, K::Message, S::Repeated, NULLABLE, 344), // resourceClaimStatuses
    f(16, 10381, 7, K::Message, S::Repeated, NULLABLE, 265), // hostIPs
    f(17, 3623, 18, K::Int, S::One, SKIP_ZERO, 0), // observedGeneration
    f(18, 697, 27, K::Message, S::One, NULLABLE, 337), // extendedResourceClaimStatus
    f(19, 1236, 18, K::Quantity, S::Map, NULLABLE, 0), // allocatedResources
    f(20, 7868, 9, K::Message, S::One, NULLABLE, 375), // resources
    f(21, 141, 36, K::Message, S::Repeated, NULLABLE, 296), // nodeAllocatableResourceClaimStatuses
    f(22, 7949, 12, K::Message, S::Repeated, NULLABLE, 353), // volumeHealth
    // 349 core/v1.PodStatusResult
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 3821, 6, K::Message, S::One, REQUIRED, 348), // status
    // 350 core/v1.PodTemplate
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 3857, 8, K::Message, S::One, REQUIRED, 352), // template
    // 351 core/v1.PodTemplateList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 350), // items
    // 352 core/v1.PodTemplateSpec
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 5346, 4, K::Message, S::One, REQUIRED, 347), // spec
    // 353 core/v1.PodVolumeHealth
    f(1, 4251, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 4866, 16, K::Message, S::Repeated, NULLABLE, 409), // healthConditions
    f(3, 3515, 18, K::Time, S::One, REQUIRED, 0), // lastTransitionTime
    // 354 core/v1.PortStatus
    f(1, 3133, 4, K::Int, S::One, REQUIRED, 0), // port
    f(2, 10126, 8, K::String, S::One, REQUIRED, 0), // protocol
    f(3, 9290, 5, K::String, S::One, NULLABLE, 0), // error
    // 355 core/v1.PortworxVolumeSource
    f(1, 10238, 8, K::String, S::One, REQUIRED, 0), // volumeID
    f(2, 10730, 6, K::String, S::One, SKIP_ZERO, 0), // fsType
    f(3, 1979, 8, K::Bool, S::One, SKIP_ZERO, 0), // readOnly
    // 356 core/v1.PreferredSchedulingTerm
    f(1, 10916, 6, K::Int, S::One, REQUIRED, 0), // weight
    f(2, 8940, 10, K::Message, S::One, REQUIRED, 309), // preference
    // 357 core/v1.Probe
    f(1, 0, 0, K::Message, S::One, INLINE | REQUIRED, 358), // 
    f(2, 3036, 19, K::Int, S::One, SKIP_ZERO, 0), // initialDelaySeconds
    f(3, 6748, 14, K::Int, S::One, SKIP_ZERO, 0), // timeoutSeconds
    f(4, 7234, 13, K::Int, S::One, SKIP_ZERO, 0), // periodSeconds
    f(5, 5394, 16, K::Int, S::One, SKIP_ZERO, 0), // successThreshold
    f(6, 4850, 16, K::Int, S::One, SKIP_ZERO, 0), // failureThreshold
    f(7, 584, 29, K::Int, S::One, NULLABLE, 0), // terminationGracePeriodSeconds
    // 358 core/v1.ProbeHandler
    f(1, 11067, 4, K::Message, S::One, NULLABLE, 251), // exec
    f(2, 10395, 7, K::Message, S::One, NULLABLE, 262), // httpGet
    f(3, 9713, 9, K::Message, S::One, NULLABLE, 400), // tcpSocket
    f(4, 11079, 4, K::Message, S::One, NULLABLE, 258), // grpc
    // 359 core/v1.ProjectedVolumeSource
    f(1, 1247, 7, K::Message, S::Repeated, REQUIRED | NULLABLE, 414), // sources
    f(2, 8218, 11, K::Int, S::One, NULLABLE, 0), // defaultMode
    f(3, 8229, 11, K::Int, S::One, NULLABLE, 0), // defaultUser
    // 360 core/v1.QuobyteVolumeSource
    f(1, 10150, 8, K::String, S::One, REQUIRED, 0), // registry
    f(2, 1187, 6, K::String, S::One, REQUIRED, 0), // volume
    f(3, 1979, 8, K::Bool, S::One, SKIP_ZERO, 0), // readOnly
    f(4, 6056, 4, K::String, S::One, SKIP_ZERO, 0), // user
    f(5, 2624, 5, K::String, S::One, SKIP_ZERO, 0), // group
    f(6, 10898, 6, K::String, S::One, SKIP_ZERO, 0), // tenant
    // 361 core/v1.RBDPersistentVolumeSource
    f(1, 9990, 8, K::String, S::Repeated, REQUIRED | NULLABLE, 0), // monitors
    f(2, 4898, 5, K::String, S::One, REQUIRED, 0), // image
    f(3, 10730, 6, K::String, S::One, SKIP_ZERO, 0), // fsType
    f(4, 9515, 4, K::String, S::One, SKIP_ZERO, 0), // pool
    f(5, 6056, 4, K::String, S::One, SKIP_ZERO, 0), // user
    f(6, 10430, 7, K::String, S::One, SKIP_ZERO, 0), // keyring
    f(7, 9587, 9, K::Message, S::One, NULLABLE, 384), // secretRef
    f(8, 1979, 8, K::Bool, S::One, SKIP_ZERO, 0), // readOnly
    // 362 core/v1.RBDVolumeSource
    f(1, 9990, 8, K::String, S::Repeated, REQUIRED | NULLABLE, 0), // monitors
    f(2, 4898, 5, K::String, S::One, REQUIRED, 0), // image
    f(3, 10730, 6, K::String, S::One, SKIP_ZERO, 0), // fsType
    f(4, 9515, 4, K::String, S::One, SKIP_ZERO, 0), // pool
    f(5, 6056, 4, K::String, S::One, SKIP_ZERO, 0), // user
    f(6, 10430, 7, K::String, S::One, SKIP_ZERO, 0), // keyring
    f(7, 9587, 9, K::Message, S::One, NULLABLE, 282), // secretRef
    f(8, 1979, 8, K::Bool, S::One, SKIP_ZERO, 0), // readOnly
    // 363 core/v1.RangeAllocation
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 11007, 5, K::String, S::One, REQUIRED, 0), // range
    f(3, 3277, 4, K::Bytes, S::One, REQUIRED | NULLABLE, 0), // data
    // 364 core/v1.ReplicationController
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 5346, 4, K::Message, S::One, REQUIRED, 366), // spec
    f(3, 3821, 6, K::Message, S::One, REQUIRED, 367), // status
    // 365 core/v1.ReplicationControllerList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 364), // items
    // 366 core/v1.ReplicationControllerSpec
    f(1, 10158, 8, K::Int, S::One, NULLABLE, 0), // replicas
    f(2, 9596, 8, K::String, S::Map, NULLABLE, 0), // selector
    f(3, 3857, 8, K::Message, S::One, NULLABLE, 352), // template
    f(4, 5726, 15, K::Int, S::One, SKIP_ZERO, 0), // minReadySeconds
    // 367 core/v1.ReplicationControllerStatus
    f(1, 10158, 8, K::Int, S::One, REQUIRED, 0), // replicas
    f(2, 2604, 20, K::Int, S::One, SKIP_ZERO, 0), // fullyLabeledReplicas
    f(3, 3623, 18, K::Int, S::One, SKIP_ZERO, 0), // observedGeneration
    f(4, 7273, 13, K::Int, S::One, SKIP_ZERO, 0), // readyReplicas
    f(5, 3228, 17, K::Int, S::One, SKIP_ZERO, 0), // availableReplicas
    f(6, 7263, 10, K::Message, S::Repeated, NULLABLE, 57), // conditions
    // 368 core/v1.ResourceClaim
    f(1, 4251, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 3713, 7, K::String, S::One, SKIP_ZERO, 0), // request
    // 369 core/v1.ResourceFieldSelector
    f(1, 6883, 13, K::String, S::One, SKIP_ZERO, 0), // containerName
    f(2, 460, 8, K::String, S::One, REQUIRED, 0), // resource
    f(3, 10304, 7, K::Quantity, S::One, REQUIRED, 0), // divisor
    // 370 core/v1.ResourceHealth
    f(1, 9010, 10, K::String, S::One, REQUIRED, 0), // resourceID
    f(2, 961, 6, K::String, S::One, SKIP_ZERO, 0), // health
    f(6, 4217, 7, K::String, S::One, NULLABLE, 0), // message
    // 371 core/v1.ResourceQuota
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 5346, 4, K::Message, S::One, REQUIRED, 373), // spec
    f(3, 3821, 6, K::Message, S::One, REQUIRED, 374), // status
    // 372 core/v1.ResourceQuotaList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 371), // items
    // 373 core/v1.ResourceQuotaSpec
    f(1, 5651, 4, K::Quantity, S::Map, NULLABLE, 0), // hard
    f(2, 10850, 6, K::String, S::Repeated, NULLABLE, 0), // scopes
    f(3, 7377, 13, K::Message, S::One, NULLABLE, 380), // scopeSelector
    // 374 core/v1.ResourceQuotaStatus
    f(1, 5651, 4, K::Quantity, S::Map, NULLABLE, 0), // hard
    f(2, 10792, 4, K::Quantity, S::Map, NULLABLE, 0), // used
    // 375 core/v1.ResourceRequirements
    f(1, 10766, 6, K::Quantity, S::Map, NULLABLE, 0), // limits
    f(2, 10166, 8, K::Quantity, S::Map, NULLABLE, 0), // requests
    f(3, 10676, 6, K::Message, S::Repeated, NULLABLE, 368), // claims
    // 376 core/v1.ResourceStatus
    f(1, 4251, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 7868, 9, K::Message, S::Repeated, NULLABLE, 370), // resources
    // 377 core/v1.SELinuxOptions
    f(1, 6056, 4, K::String, S::One, SKIP_ZERO, 0), // user
    f(2, 10556, 4, K::String, S::One, SKIP_ZERO, 0), // role
    f(3, 2085, 4, K::String, S::One, SKIP_ZERO, 0), // type
    f(4, 10972, 5, K::String, S::One, SKIP_ZERO, 0), // level
    // 378 core/v1.ScaleIOPersistentVolumeSource
    f(1, 10353, 7, K::String, S::One, REQUIRED, 0), // gateway
    f(2, 1995, 6, K::String, S::One, REQUIRED, 0), // system
    f(3, 9587, 9, K::Message, S::One, REQUIRED | NULLABLE, 384), // secretRef
    f(4, 9080, 10, K::Bool, S::One, SKIP_ZERO, 0), // sslEnabled
    f(5, 5218, 16, K::String, S::One, SKIP_ZERO, 0), // protectionDomain
    f(6, 8581, 11, K::String, S::One, SKIP_ZERO, 0), // storagePool
    f(7, 8570, 11, K::String, S::One, SKIP_ZERO, 0), // storageMode
    f(8, 6116, 10, K::String, S::One, SKIP_ZERO, 0), // volumeName
    f(9, 10730, 6, K::String, S::One, SKIP_ZERO, 0), // fsType
    f(10, 1979, 8, K::Bool, S::One, SKIP_ZERO, 0), // readOnly
    // 379 core/v1.ScaleIOVolumeSource
    f(1, 10353, 7, K::String, S::One, REQUIRED, 0), // gateway
    f(2, 1995, 6, K::String, S::One, REQUIRED, 0), // system
    f(3, 9587, 9, K::Message, S::One, REQUIRED | NULLABLE, 282), // secretRef
    f(4, 9080, 10, K::Bool, S::One, SKIP_ZERO, 0), // sslEnabled
    f(5, 5218, 16, K::String, S::One, SKIP_ZERO, 0), // protectionDomain
    f(6, 8581, 11, K::String, S::One, SKIP_ZERO, 0), // storagePool
    f(7, 8570, 11, K::String, S::One, SKIP_ZERO, 0), // storageMode
    f(8, 6116, 10, K::String, S::One, SKIP_ZERO, 0), // volumeName
    f(9, 10730, 6, K::String, S::One, SKIP_ZERO, 0), // fsType
    f(10, 1979, 8, K::Bool, S::One, SKIP_ZERO, 0), // readOnly
    // 380 core/v1.ScopeSelector
    f(1, 5058, 16, K::Message, S::Repeated, NULLABLE, 381), // matchExpressions
    // 381 core/v1.ScopedResourceSelectorRequirement
    f(1, 9578, 9, K::String, S::One, REQUIRED, 0), // scopeName
    f(2, 10038, 8, K::String, S::One, REQUIRED, 0), // operator
    f(3, 10910, 6, K::String, S::Repeated, NULLABLE, 0), // values
    // 382 core/v1.Secret
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 3277, 4, K::Bytes, S::Map, NULLABLE, 0), // data
    f(3, 2085, 4, K::String, S::One, SKIP_ZERO, 0), // type
    f(4, 9100, 10, K::String, S::Map, NULLABLE, 0), // stringData
    f(5, 9362, 9, K::Bool, S::One, NULLABLE, 0), // immutable
    // 383 core/v1.SecretList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 382), // items
    // 384 core/v1.SecretReference
    f(1, 4251, 4, K::String, S::One, SKIP_ZERO, 0), // name
    f(2, 4251, 9, K::String, S::One, SKIP_ZERO, 0), // namespace
    // 385 core/v1.SecretVolumeSource
    f(1, 5966, 10, K::String, S::One, SKIP_ZERO, 0), // secretName
    f(2, 10967, 5, K::Message, S::Repeated, NULLABLE, 271), // items
    f(3, 8218, 11, K::Int, S::One, NULLABLE, 0), // defaultMode
    f(4, 5816, 8, K::Bool, S::One, NULLABLE, 0), // optional
    f(5, 8229, 11, K::Int, S::One, NULLABLE, 0), // defaultUser
    // 386 core/v1.SecurityContext
    f(1, 7517, 12, K::Message, S::One, NULLABLE, 201), // capabilities
    f(2, 8950, 10, K::Bool, S::One, NULLABLE, 0), // privileged
    f(3, 6650, 14, K::Message, S::One, NULLABLE, 377), // seLinuxOptions
    f(4, 7351, 9, K::Int, S::One, NULLABLE, 0), // runAsUser
    f(5, 7781, 12, K::Bool, S::One, NULLABLE, 0), // runAsNonRoot
    f(6, 1979, 22, K::Bool, S::One, NULLABLE, 0), // readOnlyRootFilesystem
    f(7, 1284, 24, K::Bool, S::One, NULLABLE, 0), // allowPrivilegeEscalation
    f(8, 9040, 10, K::Int, S::One, NULLABLE, 0), // runAsGroup
    f(9, 9533, 9, K::String, S::One, NULLABLE, 0), // procMount
    f(10, 6804, 14, K::Message, S::One, NULLABLE, 420), // windowsOptions
    f(11, 6664, 14, K::Message, S::One, NULLABLE, 193), // seccompProfile
    f(12, 5456, 15, K::Message, S::One, NULLABLE, 193), // appArmorProfile
    // 387 core/v1.SerializedReference
    f(1, 8941, 9, K::Message, S::One, REQUIRED, 315), // reference
    // 388 core/v1.Service
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 5346, 4, K::Message, S::One, REQUIRED, 394), // spec
    f(3, 3821, 6, K::Message, S::One, REQUIRED, 395), // status
    // 389 core/v1.ServiceAccount
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 10584, 7, K::Message, S::Repeated, NULLABLE, 315), // secrets
    f(3, 4898, 16, K::Message, S::Repeated, NULLABLE, 282), // imagePullSecrets
    f(4, 613, 28, K::Bool, S::One, NULLABLE, 0), // automountServiceAccountToken
    // 390 core/v1.ServiceAccountList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 389), // items
    // 391 core/v1.ServiceAccountTokenProjection
    f(1, 9218, 8, K::String, S::One, SKIP_ZERO, 0), // audience
    f(2, 4115, 17, K::Int, S::One, NULLABLE, 0), // expirationSeconds
    f(3, 10070, 4, K::String, S::One, REQUIRED, 0), // path
    f(4, 6056, 4, K::Int, S::One, NULLABLE, 0), // user
    // 392 core/v1.ServiceList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 388), // items
    // 393 core/v1.ServicePort
    f(1, 4251, 4, K::String, S::One, SKIP_ZERO, 0), // name
    f(2, 10126, 8, K::String, S::One, SKIP_ZERO, 0), // protocol
    f(3, 3133, 4, K::Int, S::One, REQUIRED, 0), // port
    f(4, 7877, 10, K::IntOrString, S::One, REQUIRED, 0), // targetPort
    f(5, 10014, 8, K::Int, S::One, SKIP_ZERO, 0), // nodePort
    f(6, 8108, 11, K::String, S::One, NULLABLE, 0), // appProtocol
    // 394 core/v1.ServiceSpec
    f(1, 11002, 5, K::Message, S::Repeated, NULLABLE, 393), // ports
    f(2, 9596, 8, K::String, S::Map, NULLABLE, 0), // selector
    f(3, 8720, 9, K::String, S::One, SKIP_ZERO, 0), // clusterIP
    f(4, 2085, 4, K::String, S::One, SKIP_ZERO, 0), // type
    f(5, 8284, 11, K::String, S::Repeated, NULLABLE, 0), // externalIPs
    f(7, 2341, 15, K::String, S::One, SKIP_ZERO, 0), // sessionAffinity
    f(8, 6468, 14, K::String, S::One, SKIP_ZERO, 0), // loadBalancerIP
    f(9, 1404, 24, K::String, S::Repeated, NULLABLE, 0), // loadBalancerSourceRanges
    f(10, 7613, 12, K::String, S::One, SKIP_ZERO, 0), // externalName
    f(11, 2152, 21, K::String, S::One, SKIP_ZERO, 0), // externalTrafficPolicy
    f(12, 3017, 19, K::Int, S::One, SKIP_ZERO, 0), // healthCheckNodePort
    f(13, 1476, 24, K::Bool, S::One, SKIP_ZERO, 0), // publishNotReadyAddresses
    f(14, 2341, 21, K::Message, S::One, NULLABLE, 396), // sessionAffinityConfig
    f(17, 6412, 14, K::String, S::One, NULLABLE, 0), // ipFamilyPolicy
    f(18, 8720, 10, K::String, S::Repeated, NULLABLE, 0), // clusterIPs
    f(19, 8850, 10, K::String, S::Repeated, NULLABLE, 0), // ipFamilies
    f(20, 468, 29, K::Bool, S::One, NULLABLE, 0), // allocateLoadBalancerNodePorts
    f(21, 4183, 17, K::String, S::One, NULLABLE, 0), // loadBalancerClass
    f(22, 2215, 21, K::String, S::One, NULLABLE, 0), // internalTrafficPolicy
    f(23, 3207, 19, K::String, S::One, NULLABLE, 0), // trafficDistribution
    // 395 core/v1.ServiceStatus
    f(1, 1404, 12, K::Message, S::One, REQUIRED, 281), // loadBalancer
    f(2, 7263, 10, K::Message, S::Repeated, NULLABLE, 757), // conditions
    // 396 core/v1.SessionAffinityConfig
    f(1, 9830, 8, K::Message, S::One, NULLABLE, 206), // clientIP
    // 397 core/v1.SleepAction
    f(1, 10577, 7, K::Int, S::One, REQUIRED, 0), // seconds
    // 398 core/v1.StorageOSPersistentVolumeSource
    f(1, 6116, 10, K::String, S::One, SKIP_ZERO, 0), // volumeName
    f(2, 6116, 15, K::String, S::One, SKIP_ZERO, 0), // volumeNamespace
    f(3, 10730, 6, K::String, S::One, SKIP_ZERO, 0), // fsType
    f(4, 1979, 8, K::Bool, S::One, SKIP_ZERO, 0), // readOnly
    f(5, 9587, 9, K::Message, S::One, NULLABLE, 315), // secretRef
    // 399 core/v1.StorageOSVolumeSource
    f(1, 6116, 10, K::String, S::One, SKIP_ZERO, 0), // volumeName
    f(2, 6116, 15, K::String, S::One, SKIP_ZERO, 0), // volumeNamespace
    f(3, 10730, 6, K::String, S::One, SKIP_ZERO, 0), // fsType
    f(4, 1979, 8, K::Bool, S::One, SKIP_ZERO, 0), // readOnly
    f(5, 9587, 9, K::Message, S::One, NULLABLE, 282), // secretRef
    // 400 core/v1.TCPSocketAction
    f(1, 3133, 4, K::IntOrString, S::One, REQUIRED, 0), // port
    f(2, 4882, 4, K::String, S::One, SKIP_ZERO, 0), // host
    // 401 core/v1.Taint
    f(1, 1033, 3, K::String, S::One, REQUIRED, 0), // key
    f(2, 6086, 5, K::String, S::One, SKIP_ZERO, 0), // value
    f(3, 10694, 6, K::String, S::One, REQUIRED, 0), // effect
    f(4, 9722, 9, K::Time, S::One, NULLABLE, 0), // timeAdded
    // 402 core/v1.Toleration
    f(1, 1033, 3, K::String, S::One, SKIP_ZERO, 0), // key
    f(2, 10038, 8, K::String, S::One, SKIP_ZERO, 0), // operator
    f(3, 6086, 5, K::String, S::One, SKIP_ZERO, 0), // value
    f(4, 10694, 6, K::String, S::One, SKIP_ZERO, 0), // effect
    f(5, 4574, 17, K::Int, S::One, NULLABLE, 0), // tolerationSeconds
    // 403 core/v1.TopologySelectorLabelRequirement
    f(1, 1033, 3, K::String, S::One, REQUIRED, 0), // key
    f(2, 10910, 6, K::String, S::Repeated, REQUIRED | NULLABLE, 0), // values
    // 404 core/v1.TopologySelectorTerm
    f(1, 2236, 21, K::Message, S::Repeated, NULLABLE, 403), // matchLabelExpressions
    // 405 core/v1.TopologySpreadConstraint
    f(1, 10458, 7, K::Int, S::One, REQUIRED, 0), // maxSkew
    f(2, 7901, 11, K::String, S::One, REQUIRED, 0), // topologyKey
    f(3, 4625, 17, K::String, S::One, REQUIRED, 0), // whenUnsatisfiable
    f(4, 4149, 13, K::Message, S::One, NULLABLE, 765), // labelSelector
    f(5, 8870, 10, K::Int, S::One, NULLABLE, 0), // minDomains
    f(6, 3569, 18, K::String, S::One, NULLABLE, 0), // nodeAffinityPolicy
    f(7, 5106, 16, K::String, S::One, NULLABLE, 0), // nodeTaintsPolicy
    f(8, 4237, 14, K::String, S::Repeated, NULLABLE, 0), // matchLabelKeys
    // 406 core/v1.TypedLocalObjectReference
    f(1, 9209, 8, K::String, S::One, REQUIRED | NULLABLE, 0), // apiGroup
    f(2, 11083, 4, K::String, S::One, REQUIRED, 0), // kind
    f(3, 4251, 4, K::String, S::One, REQUIRED, 0), // name
    // 407 core/v1.TypedObjectReference
    f(1, 9209, 8, K::String, S::One, REQUIRED | NULLABLE, 0), // apiGroup
    f(2, 11083, 4, K::String, S::One, REQUIRED, 0), // kind
    f(3, 4251, 4, K::String, S::One, REQUIRED, 0), // name
    f(4, 4251, 9, K::String, S::One, NULLABLE, 0), // namespace
    // 408 core/v1.Volume
    f(1, 4251, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 0, 0, K::Message, S::One, INLINE | REQUIRED, 416), // 
    // 409 core/v1.VolumeHealthCondition
    f(1, 3821, 6, K::String, S::One, REQUIRED, 0), // status
    f(2, 10838, 6, K::String, S::One, REQUIRED, 0), // reason
    f(3, 4217, 7, K::String, S::One, SKIP_ZERO, 0), // message
    // 410 core/v1.VolumeHealthStatus
    f(1, 4866, 16, K::Message, S::Repeated, NULLABLE, 409), // healthConditions
    f(2, 3515, 18, K::Time, S::One, REQUIRED, 0), // lastTransitionTime
    // 411 core/v1.VolumeMount
    f(1, 4251, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 1979, 8, K::Bool, S::One, SKIP_ZERO, 0), // readOnly
    f(3, 9443, 9, K::String, S::One, REQUIRED, 0), // mountPath
    f(4, 8592, 7, K::String, S::One, SKIP_ZERO, 0), // subPath
    f(5, 5090, 16, K::String, S::One, NULLABLE, 0), // mountPropagation
    f(6, 8592, 11, K::String, S::One, SKIP_ZERO, 0), // subPathExpr
    f(7, 1733, 17, K::String, S::One, NULLABLE, 0), // recursiveReadOnly
    f(8, 4674, 16, K::String, S::Repeated, NULLABLE, 0), // bindMountOptions
    // 412 core/v1.VolumeMountStatus
    f(1, 4251, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 9443, 9, K::String, S::One, REQUIRED, 0), // mountPath
    f(3, 1979, 8, K::Bool, S::One, SKIP_ZERO, 0), // readOnly
    f(4, 1733, 17, K::String, S::One, NULLABLE, 0), // recursiveReadOnly
    f(5, 7973, 12, K::Message, S::One, NULLABLE, 417), // volumeStatus
    // 413 core/v1.VolumeNodeAffinity
    f(1, 95, 8, K::Message, S::One, NULLABLE, 307), // required
    // 414 core/v1.VolumeProjection
    f(1, 5966, 6, K::Message, S::One, NULLABLE, 216), // secret
    f(2, 8273, 11, K::Message, S::One, NULLABLE, 232), // downwardAPI
    f(3, 5486, 9, K::Message, S::One, NULLABLE, 216), // configMap
    f(4, 669, 19, K::Message, S::One, NULLABLE, 391), // serviceAccountToken
    f(5, 3335, 18, K::Message, S::One, NULLABLE, 207), // clusterTrustBundle
    f(6, 6552, 14, K::Message, S::One, NULLABLE, 332), // podCertificate
    // 415 core/v1.VolumeResourceRequirements
    f(1, 10766, 6, K::Quantity, S::Map, NULLABLE, 0), // limits
    f(2, 10166, 8, K::Quantity, S::Map, NULLABLE, 0), // requests
    // 416 core/v1.VolumeSource
    f(1, 9910, 8, K::Message, S::One, NULLABLE, 266), // hostPath
    f(2, 9854, 8, K::Message, S::One, NULLABLE, 235), // emptyDir
    f(3, 4132, 17, K::Message, S::One, NULLABLE, 257), // gcePersistentDisk
    f(4, 2464, 20, K::Message, S::One, NULLABLE, 191), // awsElasticBlockStore
    f(5, 10360, 7, K::Message, S::One, NULLABLE, 259), // gitRepo
    f(6, 5966, 6, K::Message, S::One, NULLABLE, 385), // secret
    f(7, 11130, 3, K::Message, S::One, NULLABLE, 285), // nfs
    f(8, 6426, 5, K::Message, S::One, NULLABLE, 268), // iscsi
    f(9, 9335, 9, K::Message, S::One, NULLABLE, 261), // glusterfs
    f(10, 177, 21, K::Message, S::One, NULLABLE, 322), // persistentVolumeClaim
    f(11, 11133, 3, K::Message, S::One, NULLABLE, 362), // rbd
    f(12, 8820, 10, K::Message, S::One, NULLABLE, 255), // flexVolume
    f(13, 10670, 6, K::Message, S::One, NULLABLE, 205), // cinder
    f(14, 10664, 6, K::Message, S::One, NULLABLE, 203), // cephfs
    f(15, 10346, 7, K::Message, S::One, NULLABLE, 256), // flocker
    f(16, 8273, 11, K::Message, S::One, NULLABLE, 234), // downwardAPI
    f(17, 5500, 2, K::Message, S::One, NULLABLE, 252), // fc
    f(18, 9236, 9, K::Message, S::One, NULLABLE, 197), // azureFile
    f(19, 5486, 9, K::Message, S::One, NULLABLE, 217), // configMap
    f(20, 7468, 13, K::Message, S::One, NULLABLE, 418), // vsphereVolume
    f(21, 10535, 7, K::Message, S::One, NULLABLE, 360), // quobyte
    f(22, 9227, 9, K::Message, S::One, NULLABLE, 195), // azureDisk
    f(23, 2744, 20, K::Message, S::One, NULLABLE, 327), // photonPersistentDisk
    f(24, 6580, 14, K::Message, S::One, NULLABLE, 355), // portworxVolume
    f(25, 10563, 7, K::Message, S::One, NULLABLE, 379), // scaleIO
    f(26, 9542, 9, K::Message, S::One, NULLABLE, 359), // projected
    f(27, 9677, 9, K::Message, S::One, NULLABLE, 399), // storageos
    f(28, 6428, 3, K::Message, S::One, NULLABLE, 200), // csi
    f(29, 829, 9, K::Message, S::One, NULLABLE, 245), // ephemeral
    f(30, 4898, 5, K::Message, S::One, NULLABLE, 269), // image
    // 417 core/v1.VolumeStatus
    f(1, 4898, 5, K::Message, S::One, NULLABLE, 270), // image
    // 418 core/v1.VsphereVirtualDiskVolumeSource
    f(1, 9170, 10, K::String, S::One, REQUIRED, 0), // volumePath
    f(2, 10730, 6, K::String, S::One, SKIP_ZERO, 0), // fsType
    f(3, 4540, 17, K::String, S::One, SKIP_ZERO, 0), // storagePolicyName
    f(4, 6011, 15, K::String, S::One, SKIP_ZERO, 0), // storagePolicyID
    // 419 core/v1.WeightedPodAffinityTerm
    f(1, 10916, 6, K::Int, S::One, REQUIRED, 0), // weight
    f(2, 5846, 15, K::Message, S::One, REQUIRED, 330), // podAffinityTerm
    // 420 core/v1.WindowsSecurityContextOptions
    f(1, 1913, 22, K::String, S::One, NULLABLE, 0), // gmsaCredentialSpecName
    f(2, 1913, 18, K::String, S::One, NULLABLE, 0), // gmsaCredentialSpec
    f(3, 7351, 13, K::String, S::One, NULLABLE, 0), // runAsUserName
    f(4, 8317, 11, K::Bool, S::One, NULLABLE, 0), // hostProcess
    // 421 core/v1.WorkloadReference
    f(1, 4251, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 2764, 8, K::String, S::One, REQUIRED, 0), // podGroup
    f(3, 3641, 18, K::String, S::One, SKIP_ZERO, 0), // podGroupReplicaKey
    // 422 discovery/v1.Endpoint
    f(1, 9200, 9, K::String, S::Repeated, REQUIRED | NULLABLE, 0), // addresses
    f(2, 7263, 10, K::Message, S::One, REQUIRED, 423), // conditions
    f(3, 4882, 8, K::String, S::One, NULLABLE, 0), // hostname
    f(4, 9704, 9, K::Message, S::One, NULLABLE, 315), // targetRef
    f(5, 3353, 18, K::String, S::Map, NULLABLE, 0), // deprecatedTopology
    f(6, 10006, 8, K::String, S::One, NULLABLE, 0), // nodeName
    f(7, 11111, 4, K::String, S::One, NULLABLE, 0), // zone
    f(8, 10957, 5, K::Message, S::One, NULLABLE, 424), // hints
    // 423 discovery/v1.EndpointConditions
    f(1, 7273, 5, K::Bool, S::One, NULLABLE, 0), // ready
    f(2, 10591, 7, K::Bool, S::One, NULLABLE, 0), // serving
    f(3, 3188, 11, K::Bool, S::One, NULLABLE, 0), // terminating
    // 424 discovery/v1.EndpointHints
    f(1, 9894, 8, K::Message, S::Repeated, NULLABLE, 340), // forZones
    f(2, 9886, 8, K::Message, S::Repeated, NULLABLE, 340), // forNodes
    // 425 discovery/v1.EndpointPort
    f(1, 4251, 4, K::String, S::One, NULLABLE, 0), // name
    f(2, 10126, 8, K::String, S::One, NULLABLE, 0), // protocol
    f(3, 3133, 4, K::Int, S::One, NULLABLE, 0), // port
    f(4, 8108, 11, K::String, S::One, NULLABLE, 0), // appProtocol
    // 426 discovery/v1.EndpointSlice
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 3425, 9, K::Message, S::Repeated, REQUIRED | NULLABLE, 422), // endpoints
    f(3, 11002, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 425), // ports
    f(4, 8042, 11, K::String, S::One, REQUIRED, 0), // addressType
    // 427 discovery/v1.EndpointSliceList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 426), // items
    // 428 discovery/v1beta1.Endpoint
    f(1, 9200, 9, K::String, S::Repeated, REQUIRED | NULLABLE, 0), // addresses
    f(2, 7263, 10, K::Message, S::One, REQUIRED, 423), // conditions
    f(3, 4882, 8, K::String, S::One, NULLABLE, 0), // hostname
    f(4, 9704, 9, K::Message, S::One, NULLABLE, 315), // targetRef
    f(5, 1137, 8, K::String, S::Map, NULLABLE, 0), // topology
    f(6, 10006, 8, K::String, S::One, NULLABLE, 0), // nodeName
    f(7, 10957, 5, K::Message, S::One, NULLABLE, 424), // hints
    // 429 discovery/v1beta1.EndpointSlice
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 3425, 9, K::Message, S::Repeated, REQUIRED | NULLABLE, 428), // endpoints
    f(3, 11002, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 425), // ports
    f(4, 8042, 11, K::String, S::One, REQUIRED, 0), // addressType
    // 430 discovery/v1beta1.EndpointSliceList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 429), // items
    // 431 events/v1.Event
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 9299, 9, K::MicroTime, S::One, REQUIRED, 0), // eventTime
    f(3, 10856, 6, K::Message, S::One, NULLABLE, 433), // series
    f(4, 3131, 19, K::String, S::One, SKIP_ZERO, 0), // reportingController
    f(5, 4421, 17, K::String, S::One, SKIP_ZERO, 0), // reportingInstance
    f(6, 10646, 6, K::String, S::One, SKIP_ZERO, 0), // action
    f(7, 10838, 6, K::String, S::One, SKIP_ZERO, 0), // reason
    f(8, 9551, 9, K::Message, S::One, REQUIRED, 315), // regarding
    f(9, 10542, 7, K::Message, S::One, NULLABLE, 315), // related
    f(10, 11091, 4, K::String, S::One, SKIP_ZERO, 0), // note
    f(11, 2085, 4, K::String, S::One, SKIP_ZERO, 0), // type
    f(12, 4770, 16, K::Message, S::One, REQUIRED, 249), // deprecatedSource
    f(13, 1380, 24, K::Time, S::One, REQUIRED, 0), // deprecatedFirstTimestamp
    f(14, 1618, 23, K::Time, S::One, REQUIRED, 0), // deprecatedLastTimestamp
    f(15, 5546, 15, K::Int, S::One, SKIP_ZERO, 0), // deprecatedCount
    // 432 events/v1.EventList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 431), // items
    // 433 events/v1.EventSeries
    f(1, 631, 5, K::Int, S::One, REQUIRED, 0), // count
    f(2, 4978, 16, K::MicroTime, S::One, REQUIRED, 0), // lastObservedTime
    // 434 extensions/v1beta1.DaemonSet
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 5346, 4, K::Message, S::One, REQUIRED, 436), // spec
    f(3, 3821, 6, K::Message, S::One, REQUIRED, 60), // status
    // 435 extensions/v1beta1.DaemonSetList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 434), // items
    // 436 extensions/v1beta1.DaemonSetSpec
    f(1, 9596, 8, K::Message, S::One, NULLABLE, 765), // selector
    f(2, 3857, 8, K::Message, S::One, REQUIRED, 352), // template
    f(3, 6776, 14, K::Message, S::One, REQUIRED, 61), // updateStrategy
    f(4, 5726, 15, K::Int, S::One, SKIP_ZERO, 0), // minReadySeconds
    f(5, 3857, 18, K::Int, S::One, SKIP_ZERO, 0), // templateGeneration
    f(6, 2824, 20, K::Int, S::One, NULLABLE, 0), // revisionHistoryLimit
    // 437 extensions/v1beta1.HTTPIngressPath
    f(1, 10070, 4, K::String, S::One, SKIP_ZERO, 0), // path
    f(2, 10269, 7, K::Message, S::One, REQUIRED, 441), // backend
    f(3, 10070, 8, K::String, S::One, NULLABLE, 0), // pathType
    // 438 extensions/v1beta1.HTTPIngressRuleValue
    f(1, 10987, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 437), // paths
    // 439 extensions/v1beta1.IPBlock
    f(1, 10942, 4, K::String, S::One, REQUIRED, 0), // cidr
    f(2, 10706, 6, K::String, S::Repeated, NULLABLE, 0), // except
    // 440 extensions/v1beta1.Ingress
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 5346, 4, K::Message, S::One, REQUIRED, 447), // spec
    f(3, 3821, 6, K::Message, S::One, REQUIRED, 448), // status
    // 441 extensions/v1beta1.IngressBackend
    f(1, 8537, 11, K::String, S::One, SKIP_ZERO, 0), // serviceName
    f(2, 8548, 11, K::IntOrString, S::One, REQUIRED, 0), // servicePort
    f(3, 460, 8, K::Message, S::One, NULLABLE, 406), // resource
    // 442 extensions/v1beta1.IngressList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 440), // items
    // 443 extensions/v1beta1.IngressLoadBalancerIngress
    f(1, 651, 2, K::String, S::One, SKIP_ZERO, 0), // ip
    f(2, 4882, 8, K::String, S::One, SKIP_ZERO, 0), // hostname
    f(4, 11002, 5, K::Message, S::Repeated, NULLABLE, 354), // ports
    // 444 extensions/v1beta1.IngressLoadBalancerStatus
    f(1, 4914, 7, K::Message, S::Repeated, NULLABLE, 443), // ingress
    // 445 extensions/v1beta1.IngressRule
    f(1, 4882, 4, K::String, S::One, SKIP_ZERO, 0), // host
    f(2, 0, 0, K::Message, S::One, INLINE | REQUIRED, 446), // 
    // 446 extensions/v1beta1.IngressRuleValue
    f(1, 8328, 4, K::Message, S::One, NULLABLE, 438), // http
    // 447 extensions/v1beta1.IngressSpec
    f(1, 10269, 7, K::Message, S::One, NULLABLE, 441), // backend
    f(2, 10630, 3, K::Message, S::Repeated, NULLABLE, 449), // tls
    f(3, 11012, 5, K::Message, S::Repeated, NULLABLE, 445), // rules
    f(4, 4914, 16, K::String, S::One, NULLABLE, 0), // ingressClassName
    // 448 extensions/v1beta1.IngressStatus
    f(1, 1404, 12, K::Message, S::One, REQUIRED, 444), // loadBalancer
    // 449 extensions/v1beta1.IngressTLS
    f(1, 10962, 5, K::String, S::Repeated, NULLABLE, 0), // hosts
    f(2, 5966, 10, K::String, S::One, SKIP_ZERO, 0), // secretName
    // 450 extensions/v1beta1.NetworkPolicy
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 5346, 4, K::Message, S::One, REQUIRED, 456), // spec
    // 451 extensions/v1beta1.NetworkPolicyEgressRule
    f(1, 11002, 5, K::Message, S::Repeated, NULLABLE, 455), // ports
    f(2, 7, 2, K::Message, S::Repeated, NULLABLE, 454), // to
    // 452 extensions/v1beta1.NetworkPolicyIngressRule
    f(1, 11002, 5, K::Message, S::Repeated, NULLABLE, 455), // ports
    f(2, 11071, 4, K::Message, S::Repeated, NULLABLE, 454), // from
    // 453 extensions/v1beta1.NetworkPolicyList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 450), // items
    // 454 extensions/v1beta1.NetworkPolicyPeer
    f(1, 8460, 11, K::Message, S::One, NULLABLE, 765), // podSelector
    f(2, 4251, 17, K::Message, S::One, NULLABLE, 765), // namespaceSelector
    f(3, 10409, 7, K::Message, S::One, NULLABLE, 439), // ipBlock
    // 455 extensions/v1beta1.NetworkPolicyPort
    f(1, 10126, 8, K::String, S::One, NULLABLE, 0), // protocol
    f(2, 3133, 4, K::IntOrString, S::One, NULLABLE, 0), // port
    f(3, 10318, 7, K::Int, S::One, NULLABLE, 0), // endPort
    // 456 extensions/v1beta1.NetworkPolicySpec
    f(1, 8460, 11, K::Message, S::One, REQUIRED, 765), // podSelector
    f(2, 4914, 7, K::Message, S::Repeated, NULLABLE, 452), // ingress
    f(3, 10700, 6, K::Message, S::Repeated, NULLABLE, 451), // egress
    f(4, 8471, 11, K::String, S::Repeated, NULLABLE, 0), // policyTypes
    // 457 extensions/v1beta1.ReplicaSet
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 5346, 4, K::Message, S::One, REQUIRED, 459), // spec
    f(3, 3821, 6, K::Message, S::One, REQUIRED, 70), // status
    // 458 extensions/v1beta1.ReplicaSetList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 457), // items
    // 459 extensions/v1beta1.ReplicaSetSpec
    f(1, 10158, 8, K::Int, S::One, NULLABLE, 0), // replicas
    f(2, 9596, 8, K::Message, S::One, NULLABLE, 765), // selector
    f(3, 3857, 8, K::Message, S::One, REQUIRED, 352), // template
    f(4, 5726, 15, K::Int, S::One, SKIP_ZERO, 0), // minReadySeconds
    // 460 flowcontrol/v1.ExemptPriorityLevelConfiguration
    f(1, 1452, 24, K::Int, S::One, NULLABLE, 0), // nominalConcurrencyShares
    f(2, 5696, 15, K::Int, S::One, NULLABLE, 0), // lendablePercent
    // 461 flowcontrol/v1.FlowDistinguisherMethod
    f(1, 2085, 4, K::String, S::One, REQUIRED, 0), // type
    // 462 flowcontrol/v1.FlowSchema
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 5346, 4, K::Message, S::One, REQUIRED, 465), // spec
    f(3, 3821, 6, K::Message, S::One, REQUIRED, 466), // status
    // 463 flowcontrol/v1.FlowSchemaCondition
    f(1, 2085, 4, K::String, S::One, SKIP_ZERO, 0), // type
    f(2, 3821, 6, K::String, S::One, SKIP_ZERO, 0), // status
    f(3, 3515, 18, K::Time, S::One, REQUIRED, 0), // lastTransitionTime
    f(4, 10838, 6, K::String, S::One, SKIP_ZERO, 0), // reason
    f(5, 4217, 7, K::String, S::One, SKIP_ZERO, 0), // message
    // 464 flowcontrol/v1.FlowSchemaList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 462), // items
    // 465 flowcontrol/v1.FlowSchemaSpec
    f(1, 855, 26, K::Message, S::One, REQUIRED, 340), // priorityLevelConfiguration
    f(2, 3533, 18, K::Int, S::One, REQUIRED, 0), // matchingPrecedence
    f(3, 2941, 19, K::Message, S::One, NULLABLE, 461), // distinguisherMethod
    f(4, 11012, 5, K::Message, S::Repeated, NULLABLE, 470), // rules
    // 466 flowcontrol/v1.FlowSchemaStatus
    f(1, 7263, 10, K::Message, S::Repeated, NULLABLE, 463), // conditions
    // 467 flowcontrol/v1.LimitResponse
    f(1, 2085, 4, K::String, S::One, REQUIRED, 0), // type
    f(2, 10528, 7, K::Message, S::One, NULLABLE, 474), // queuing
    // 468 flowcontrol/v1.LimitedPriorityLevelConfiguration
    f(1, 1452, 24, K::Int, S::One, REQUIRED | NULLABLE, 0), // nominalConcurrencyShares
    f(2, 7156, 13, K::Message, S::One, REQUIRED, 467), // limitResponse
    f(3, 5696, 15, K::Int, S::One, NULLABLE, 0), // lendablePercent
    f(4, 2110, 21, K::Int, S::One, NULLABLE, 0), // borrowingLimitPercent
    // 469 flowcontrol/v1.NonResourcePolicyRule
    f(1, 11032, 5, K::String, S::Repeated, REQUIRED | NULLABLE, 0), // verbs
    f(6, 5741, 15, K::String, S::Repeated, REQUIRED | NULLABLE, 0), // nonResourceURLs
    // 470 flowcontrol/v1.PolicyRulesWithSubjects
    f(1, 10198, 8, K::Message, S::Repeated, REQUIRED | NULLABLE, 477), // subjects
    f(2, 7325, 13, K::Message, S::Repeated, NULLABLE, 475), // resourceRules
    f(3, 5122, 16, K::Message, S::Repeated, NULLABLE, 469), // nonResourceRules
    // 471 flowcontrol/v1.PriorityLevelConfiguration
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 5346, 4, K::Message, S::One, REQUIRED, 473), // spec
    f(3, 3821, 6, K::Message, S::One, REQUIRED, 466), // status
    // 472 flowcontrol/v1.PriorityLevelConfigurationList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 471), // items
    // 473 flowcontrol/v1.PriorityLevelConfigurationSpec
    f(1, 2085, 4, K::String, S::One, REQUIRED, 0), // type
    f(2, 10437, 7, K::Message, S::One, NULLABLE, 468), // limited
    f(3, 10712, 6, K::Message, S::One, NULLABLE, 460), // exempt
    // 474 flowcontrol/v1.QueuingConfiguration
    f(1, 10832, 6, K::Int, S::One, REQUIRED, 0), // queues
    f(2, 9902, 8, K::Int, S::One, REQUIRED, 0), // handSize
    f(3, 5234, 16, K::Int, S::One, REQUIRED, 0), // queueLengthLimit
    // 475 flowcontrol/v1.ResourcePolicyRule
    f(1, 11032, 5, K::String, S::Repeated, REQUIRED | NULLABLE, 0), // verbs
    f(2, 9209, 9, K::String, S::Repeated, REQUIRED | NULLABLE, 0), // apiGroups
    f(3, 7868, 9, K::String, S::Repeated, REQUIRED | NULLABLE, 0), // resources
    f(4, 7541, 12, K::Bool, S::One, SKIP_ZERO, 0), // clusterScope
    f(5, 8900, 10, K::String, S::Repeated, REQUIRED | NULLABLE, 0), // namespaces
    // 476 flowcontrol/v1.ServiceAccountSubject
    f(1, 4251, 9, K::String, S::One, REQUIRED, 0), // namespace
    f(2, 4251, 4, K::String, S::One, REQUIRED, 0), // name
    // 477 flowcontrol/v1.Subject
    f(1, 11083, 4, K::String, S::One, REQUIRED, 0), // kind
    f(2, 6056, 4, K::Message, S::One, NULLABLE, 340), // user
    f(3, 2624, 5, K::Message, S::One, NULLABLE, 340), // group
    f(4, 669, 14, K::Message, S::One, NULLABLE, 476), // serviceAccount
    // 478 flowcontrol/v1beta1.LimitedPriorityLevelConfiguration
    f(1, 1308, 24, K::Int, S::One, REQUIRED, 0), // assuredConcurrencyShares
    f(2, 7156, 13, K::Message, S::One, REQUIRED, 467), // limitResponse
    f(3, 5696, 15, K::Int, S::One, NULLABLE, 0), // lendablePercent
    f(4, 2110, 21, K::Int, S::One, NULLABLE, 0), // borrowingLimitPercent
    // 479 flowcontrol/v1beta1.PriorityLevelConfiguration
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 5346, 4, K::Message, S::One, REQUIRED, 481), // spec
    f(3, 3821, 6, K::Message, S::One, REQUIRED, 466), // status
    // 480 flowcontrol/v1beta1.PriorityLevelConfigurationList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 479), // items
    // 481 flowcontrol/v1beta1.PriorityLevelConfigurationSpec
    f(1, 2085, 4, K::String, S::One, REQUIRED, 0), // type
    f(2, 10437, 7, K::Message, S::One, NULLABLE, 478), // limited
    f(3, 10712, 6, K::Message, S::One, NULLABLE, 460), // exempt
    // 482 flowcontrol/v1beta3.LimitedPriorityLevelConfiguration
    f(1, 1452, 24, K::Int, S::One, REQUIRED, 0), // nominalConcurrencyShares
    f(2, 7156, 13, K::Message, S::One, REQUIRED, 467), // limitResponse
    f(3, 5696, 15, K::Int, S::One, NULLABLE, 0), // lendablePercent
    f(4, 2110, 21, K::Int, S::One, NULLABLE, 0), // borrowingLimitPercent
    // 483 flowcontrol/v1beta3.PriorityLevelConfiguration
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 5346, 4, K::Message, S::One, REQUIRED, 485), // spec
    f(3, 3821, 6, K::Message, S::One, REQUIRED, 466), // status
    // 484 flowcontrol/v1beta3.PriorityLevelConfigurationList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 483), // items
    // 485 flowcontrol/v1beta3.PriorityLevelConfigurationSpec
    f(1, 2085, 4, K::String, S::One, REQUIRED, 0), // type
    f(2, 10437, 7, K::Message, S::One, NULLABLE, 482), // limited
    f(3, 10712, 6, K::Message, S::One, NULLABLE, 460), // exempt
    // 486 imagepolicy/v1alpha1.ImageReview
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 5346, 4, K::Message, S::One, REQUIRED, 488), // spec
    f(3, 3821, 6, K::Message, S::One, REQUIRED, 489), // status
    // 487 imagepolicy/v1alpha1.ImageReviewContainerSpec
    f(1, 4898, 5, K::String, S::One, SKIP_ZERO, 0), // image
    // 488 imagepolicy/v1alpha1.ImageReviewSpec
    f(1, 8730, 10, K::Message, S::Repeated, NULLABLE, 487), // containers
    f(2, 8075, 11, K::String, S::Map, NULLABLE, 0), // annotations
    f(3, 4251, 9, K::String, S::One, SKIP_ZERO, 0), // namespace
    // 489 imagepolicy/v1alpha1.ImageReviewStatus
    f(1, 3911, 7, K::Bool, S::One, REQUIRED, 0), // allowed
    f(2, 10838, 6, K::String, S::One, SKIP_ZERO, 0), // reason
    f(3, 4658, 16, K::String, S::Map, NULLABLE, 0), // auditAnnotations
    // 490 lifecycle/v1alpha1.Eviction
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 5346, 4, K::Message, S::One, REQUIRED, 498), // spec
    f(3, 3821, 6, K::Message, S::One, REQUIRED, 499), // status
    // 491 lifecycle/v1alpha1.EvictionList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 490), // items
    // 492 lifecycle/v1alpha1.EvictionPodReference
    f(1, 4251, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 11139, 3, K::String, S::One, REQUIRED, 0), // uid
    // 493 lifecycle/v1alpha1.EvictionRequest
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 5346, 4, K::Message, S::One, REQUIRED, 495), // spec
    f(3, 3821, 6, K::Message, S::One, REQUIRED, 496), // status
    // 494 lifecycle/v1alpha1.EvictionRequestList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 493), // items
    // 495 lifecycle/v1alpha1.EvictionRequestSpec
    f(1, 377, 6, K::Message, S::One, REQUIRED, 497), // target
    f(2, 9000, 9, K::String, S::One, REQUIRED, 0), // requester
    f(3, 10748, 6, K::String, S::One, REQUIRED, 0), // intent
    // 496 lifecycle/v1alpha1.EvictionRequestStatus
    f(1, 7263, 10, K::Message, S::Repeated, NULLABLE, 757), // conditions
    f(2, 3623, 18, K::Int, S::One, NULLABLE, 0), // observedGeneration
    // 497 lifecycle/v1alpha1.EvictionRequestTarget
    f(1, 2764, 3, K::Message, S::One, NULLABLE, 492), // pod
    // 498 lifecycle/v1alpha1.EvictionSpec
    f(1, 377, 6, K::Message, S::One, REQUIRED, 497), // target
    // 499 lifecycle/v1alpha1.EvictionStatus
    f(1, 7263, 10, K::Message, S::Repeated, NULLABLE, 757), // conditions
    f(2, 3623, 18, K::Int, S::One, NULLABLE, 0), // observedGeneration
    f(3, 9000, 10, K::Message, S::Repeated, NULLABLE, 500), // requesters
    f(4, 5410, 16, K::Message, S::Repeated, NULLABLE, 502), // targetResponders
    f(5, 9020, 10, K::Message, S::Repeated, NULLABLE, 501), // responders
    // 500 lifecycle/v1alpha1.Requester
    f(1, 4251, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 10748, 6, K::String, S::One, REQUIRED, 0), // intent
    // 501 lifecycle/v1alpha1.ResponderStatus
    f(1, 4251, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 9650, 9, K::Time, S::One, NULLABLE, 0), // startTime
    f(3, 7039, 13, K::Time, S::One, NULLABLE, 0), // heartbeatTime
    f(4, 1869, 22, K::Time, S::One, NULLABLE, 0), // expectedCompletionTime
    f(5, 6230, 14, K::Time, S::One, NULLABLE, 0), // completionTime
    f(6, 4217, 7, K::String, S::One, NULLABLE, 0), // message
    // 502 lifecycle/v1alpha1.TargetResponder
    f(1, 4251, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 855, 8, K::Int, S::One, REQUIRED | NULLABLE, 0), // priority
    f(3, 11022, 5, K::String, S::One, REQUIRED, 0), // state
    // 503 networking/v1.HTTPIngressPath
    f(1, 10070, 4, K::String, S::One, SKIP_ZERO, 0), // path
    f(2, 10269, 7, K::Message, S::One, REQUIRED, 509), // backend
    f(3, 10070, 8, K::String, S::One, REQUIRED | NULLABLE, 0), // pathType
    // 504 networking/v1.HTTPIngressRuleValue
    f(1, 10987, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 503), // paths
    // 505 networking/v1.IPAddress
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 5346, 4, K::Message, S::One, REQUIRED, 507), // spec
    // 506 networking/v1.IPAddressList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 505), // items
    // 507 networking/v1.IPAddressSpec
    f(1, 9488, 9, K::Message, S::One, NULLABLE, 519), // parentRef
    // 508 networking/v1.Ingress
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 5346, 4, K::Message, S::One, REQUIRED, 518), // spec
    f(3, 3821, 6, K::Message, S::One, REQUIRED, 448), // status
    // 509 networking/v1.IngressBackend
    f(3, 460, 8, K::Message, S::One, NULLABLE, 406), // resource
    f(4, 669, 7, K::Message, S::One, NULLABLE, 517), // service
    // 510 networking/v1.IngressClass
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 5346, 4, K::Message, S::One, REQUIRED, 513), // spec
    // 511 networking/v1.IngressClassList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 510), // items
    // 512 networking/v1.IngressClassParametersReference
    f(1, 9209, 8, K::String, S::One, NULLABLE, 0), // apiGroup
    f(2, 11083, 4, K::String, S::One, REQUIRED, 0), // kind
    f(3, 4251, 4, K::String, S::One, REQUIRED, 0), // name
    f(4, 7377, 5, K::String, S::One, REQUIRED | NULLABLE, 0), // scope
    f(5, 4251, 9, K::String, S::One, NULLABLE, 0), // namespace
    // 513 networking/v1.IngressClassSpec
    f(1, 777, 10, K::String, S::One, SKIP_ZERO, 0), // controller
    f(2, 8920, 10, K::Message, S::One, NULLABLE, 512), // parameters
    // 514 networking/v1.IngressList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 508), // items
    // 515 networking/v1.IngressRule
    f(1, 4882, 4, K::String, S::One, SKIP_ZERO, 0), // host
    f(2, 0, 0, K::Message, S::One, INLINE | REQUIRED, 516), // 
    // 516 networking/v1.IngressRuleValue
    f(1, 8328, 4, K::Message, S::One, NULLABLE, 504), // http
    // 517 networking/v1.IngressServiceBackend
    f(1, 4251, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 3133, 4, K::Message, S::One, REQUIRED, 520), // port
    // 518 networking/v1.IngressSpec
    f(1, 6272, 14, K::Message, S::One, NULLABLE, 509), // defaultBackend
    f(2, 10630, 3, K::Message, S::Repeated, NULLABLE, 449), // tls
    f(3, 11012, 5, K::Message, S::Repeated, NULLABLE, 515), // rules
    f(4, 4914, 16, K::String, S::One, NULLABLE, 0), // ingressClassName
    // 519 networking/v1.ParentReference
    f(1, 2624, 5, K::String, S::One, SKIP_ZERO, 0), // group
    f(2, 460, 8, K::String, S::One, SKIP_ZERO, 0), // resource
    f(3, 4251, 9, K::String, S::One, SKIP_ZERO, 0), // namespace
    f(4, 4251, 4, K::String, S::One, SKIP_ZERO, 0), // name
    // 520 networking/v1.ServiceBackendPort
    f(1, 4251, 4, K::String, S::One, SKIP_ZERO, 0), // name
    f(2, 3605, 6, K::Int, S::One, SKIP_ZERO, 0), // number
    // 521 networking/v1.ServiceCIDR
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 5346, 4, K::Message, S::One, REQUIRED, 523), // spec
    f(3, 3821, 6, K::Message, S::One, REQUIRED, 524), // status
    // 522 networking/v1.ServiceCIDRList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 521), // items
    // 523 networking/v1.ServiceCIDRSpec
    f(1, 10942, 5, K::String, S::Repeated, NULLABLE, 0), // cidrs
    // 524 networking/v1.ServiceCIDRStatus
    f(1, 7263, 10, K::Message, S::Repeated, NULLABLE, 757), // conditions
    // 525 node/v1.Overhead
    f(1, 10094, 8, K::Quantity, S::Map, NULLABLE, 0), // podFixed
    // 526 node/v1.RuntimeClass
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 10367, 7, K::String, S::One, REQUIRED, 0), // handler
    f(3, 10054, 8, K::Message, S::One, NULLABLE, 525), // overhead
    f(4, 2320, 10, K::Message, S::One, NULLABLE, 528), // scheduling
    // 527 node/v1.RuntimeClassList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 526), // items
    // 528 node/v1.Scheduling
    f(1, 4268, 12, K::String, S::Map, NULLABLE, 0), // nodeSelector
    f(2, 8614, 11, K::Message, S::Repeated, NULLABLE, 402), // tolerations
    // 529 node/v1alpha1.RuntimeClass
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 5346, 4, K::Message, S::One, REQUIRED, 531), // spec
    // 530 node/v1alpha1.RuntimeClassList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 529), // items
    // 531 node/v1alpha1.RuntimeClassSpec
    f(1, 5921, 14, K::String, S::One, REQUIRED, 0), // runtimeHandler
    f(2, 10054, 8, K::Message, S::One, NULLABLE, 525), // overhead
    f(3, 2320, 10, K::Message, S::One, NULLABLE, 528), // scheduling
    // 532 policy/v1.Eviction
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 6948, 13, K::Message, S::One, NULLABLE, 759), // deleteOptions
    // 533 policy/v1.PodDisruptionBudget
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 5346, 4, K::Message, S::One, REQUIRED, 535), // spec
    f(3, 3821, 6, K::Message, S::One, REQUIRED, 536), // status
    // 534 policy/v1.PodDisruptionBudgetList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 533), // items
    // 535 policy/v1.PodDisruptionBudgetSpec
    f(1, 7673, 12, K::IntOrString, S::One, NULLABLE, 0), // minAvailable
    f(2, 9596, 8, K::Message, S::One, NULLABLE, 765), // selector
    f(3, 6524, 14, K::IntOrString, S::One, NULLABLE, 0), // maxUnavailable
    f(4, 959, 26, K::String, S::One, NULLABLE, 0), // unhealthyPodEvictionPolicy
    // 536 policy/v1.PodDisruptionBudgetStatus
    f(1, 3623, 18, K::Int, S::One, SKIP_ZERO, 0), // observedGeneration
    f(2, 6961, 13, K::Time, S::Map, NULLABLE, 0), // disruptedPods
    f(3, 3389, 18, K::Int, S::One, REQUIRED, 0), // disruptionsAllowed
    f(4, 6244, 14, K::Int, S::One, REQUIRED, 0), // currentHealthy
    f(5, 6300, 14, K::Int, S::One, REQUIRED, 0), // desiredHealthy
    f(6, 7589, 12, K::Int, S::One, REQUIRED, 0), // expectedPods
    f(7, 7263, 10, K::Message, S::Repeated, NULLABLE, 757), // conditions
    // 537 rbac/v1.AggregationRule
    f(1, 2524, 20, K::Message, S::Repeated, NULLABLE, 765), // clusterRoleSelectors
    // 538 rbac/v1.ClusterRole
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 11012, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 542), // rules
    f(3, 5441, 15, K::Message, S::One, NULLABLE, 537), // aggregationRule
    // 539 rbac/v1.ClusterRoleBinding
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 10198, 8, K::Message, S::Repeated, NULLABLE, 546), // subjects
    f(3, 10556, 7, K::Message, S::One, REQUIRED, 545), // roleRef
    // 540 rbac/v1.ClusterRoleBindingList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 539), // items
    // 541 rbac/v1.ClusterRoleList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 538), // items
    // 542 rbac/v1.PolicyRule
    f(1, 11032, 5, K::String, S::Repeated, REQUIRED | NULLABLE, 0), // verbs
    f(2, 9209, 9, K::String, S::Repeated, NULLABLE, 0), // apiGroups
    f(3, 7868, 9, K::String, S::Repeated, NULLABLE, 0), // resources
    f(4, 7312, 13, K::String, S::Repeated, NULLABLE, 0), // resourceNames
    f(5, 5741, 15, K::String, S::Repeated, NULLABLE, 0), // nonResourceURLs
    // 543 rbac/v1.Role
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 11012, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 542), // rules
    // 544 rbac/v1.RoleList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 543), // items
    // 545 rbac/v1.RoleRef
    f(1, 9209, 8, K::String, S::One, REQUIRED, 0), // apiGroup
    f(2, 11083, 4, K::String, S::One, REQUIRED, 0), // kind
    f(3, 4251, 4, K::String, S::One, REQUIRED, 0), // name
    // 546 rbac/v1.Subject
    f(1, 11083, 4, K::String, S::One, REQUIRED, 0), // kind
    f(2, 9209, 8, K::String, S::One, SKIP_ZERO, 0), // apiGroup
    f(3, 4251, 4, K::String, S::One, REQUIRED, 0), // name
    f(4, 4251, 9, K::String, S::One, SKIP_ZERO, 0), // namespace
    // 547 rbac/v1alpha1.ClusterRole
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 11012, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 551), // rules
    f(3, 5441, 15, K::Message, S::One, NULLABLE, 537), // aggregationRule
    // 548 rbac/v1alpha1.ClusterRoleBinding
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 10198, 8, K::Message, S::Repeated, NULLABLE, 554), // subjects
    f(3, 10556, 7, K::Message, S::One, REQUIRED, 545), // roleRef
    // 549 rbac/v1alpha1.ClusterRoleBindingList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 548), // items
    // 550 rbac/v1alpha1.ClusterRoleList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 547), // items
    // 551 rbac/v1alpha1.PolicyRule
    f(1, 11032, 5, K::String, S::Repeated, REQUIRED | NULLABLE, 0), // verbs
    f(3, 9209, 9, K::String, S::Repeated, NULLABLE, 0), // apiGroups
    f(4, 7868, 9, K::String, S::Repeated, NULLABLE, 0), // resources
    f(5, 7312, 13, K::String, S::Repeated, NULLABLE, 0), // resourceNames
    f(6, 5741, 15, K::String, S::Repeated, NULLABLE, 0), // nonResourceURLs
    // 552 rbac/v1alpha1.Role
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 11012, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 551), // rules
    // 553 rbac/v1alpha1.RoleList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 552), // items
    // 554 rbac/v1alpha1.Subject
    f(1, 11083, 4, K::String, S::One, REQUIRED, 0), // kind
    f(2, 8097, 10, K::String, S::One, SKIP_ZERO, 0), // apiVersion
    f(3, 4251, 4, K::String, S::One, REQUIRED, 0), // name
    f(4, 4251, 9, K::String, S::One, SKIP_ZERO, 0), // namespace
    // 555 resource/v1.AllocatedDeviceStatus
    f(1, 8760, 6, K::String, S::One, REQUIRED, 0), // driver
    f(2, 9515, 4, K::String, S::One, REQUIRED, 0), // pool
    f(3, 4786, 6, K::String, S::One, REQUIRED, 0), // device
    f(4, 7263, 10, K::Message, S::Repeated, REQUIRED | NULLABLE, 757), // conditions
    f(5, 3277, 4, K::Raw, S::One, NULLABLE, 0), // data
    f(6, 8416, 11, K::Message, S::One, NULLABLE, 586), // networkData
    f(7, 10598, 7, K::String, S::One, NULLABLE, 0), // shareID
    // 556 resource/v1.AllocationResult
    f(1, 10290, 7, K::Message, S::One, REQUIRED, 565), // devices
    f(3, 4268, 12, K::Message, S::One, NULLABLE, 307), // nodeSelector
    f(5, 2884, 19, K::Time, S::One, NULLABLE, 0), // allocationTimestamp
    // 557 resource/v1.CELDeviceSelector
    f(1, 3461, 10, K::String, S::One, REQUIRED, 0), // expression
    // 558 resource/v1.CapacityRequestPolicy
    f(1, 497, 7, K::Quantity, S::One, REQUIRED | NULLABLE, 0), // default
    f(3, 8647, 11, K::Quantity, S::Repeated, NULLABLE, 0), // validValues
    f(4, 9150, 10, K::Message, S::One, NULLABLE, 559), // validRange
    // 559 resource/v1.CapacityRequestPolicyRange
    f(1, 587, 3, K::Quantity, S::One, NULLABLE, 0), // min
    f(2, 2664, 3, K::Quantity, S::One, NULLABLE, 0), // max
    f(3, 11103, 4, K::Quantity, S::One, NULLABLE, 0), // step
    // 560 resource/v1.CapacityRequirements
    f(1, 10166, 8, K::Quantity, S::Map, NULLABLE, 0), // requests
    // 561 resource/v1.Counter
    f(1, 6086, 5, K::Quantity, S::One, REQUIRED, 0), // value
    // 562 resource/v1.CounterSet
    f(1, 4251, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 9838, 8, K::Message, S::Map, NULLABLE, 561), // counters
    // 563 resource/v1.Device
    f(1, 4251, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 8680, 10, K::Message, S::Map, NULLABLE, 566), // attributes
    f(3, 3317, 8, K::Message, S::Map, NULLABLE, 567), // capacity
    f(4, 4722, 16, K::Message, S::Repeated, NULLABLE, 576), // consumesCounters
    f(5, 10006, 8, K::String, S::One, NULLABLE, 0), // nodeName
    f(6, 4268, 12, K::Message, S::One, NULLABLE, 307), // nodeSelector
    f(7, 9774, 8, K::Bool, S::One, NULLABLE, 0), // allNodes
    f(8, 10892, 6, K::Message, S::Repeated, NULLABLE, 401), // taints
    f(9, 8130, 11, K::Bool, S::One, NULLABLE, 0), // bindsToNode
    f(10, 3928, 17, K::String, S::Repeated, NULLABLE, 0), // bindingConditions
    f(11, 1332, 24, K::String, S::Repeated, NULLABLE, 0), // bindingFailureConditions
    f(12, 1260, 24, K::Bool, S::One, NULLABLE, 0), // allowMultipleAllocations
    f(13, 346, 31, K::Message, S::Map, NULLABLE, 590), // nodeAllocatableResourceMappings
    f(14, 1428, 24, K::Message, S::Map, NULLABLE, 589), // nodeAllocatableResources
    // 564 resource/v1.DeviceAllocationConfiguration
    f(1, 158, 6, K::String, S::One, REQUIRED, 0), // source
    f(2, 10166, 8, K::String, S::Repeated, NULLABLE, 0), // requests
    f(3, 0, 0, K::Message, S::One, INLINE | REQUIRED, 574), // 
    // 565 resource/v1.DeviceAllocationResult
    f(1, 10549, 7, K::Message, S::Repeated, NULLABLE, 578), // results
    f(2, 5486, 6, K::Message, S::Repeated, NULLABLE, 564), // config
    // 566 resource/v1.DeviceAttribute
    f(2, 998, 3, K::Int, S::One, NULLABLE, 0), // int
    f(3, 10937, 4, K::Bool, S::One, NULLABLE, 0), // bool
    f(4, 1005, 6, K::String, S::One, NULLABLE, 0), // string
    f(5, 1359, 7, K::String, S::One, NULLABLE, 0), // version
    f(6, 1158, 4, K::Int, S::Repeated, NULLABLE, 0), // ints
    f(7, 10937, 5, K::Bool, S::Repeated, NULLABLE, 0), // bools
    f(8, 10605, 7, K::String, S::Repeated, NULLABLE, 0), // strings
    f(9, 10230, 8, K::String, S::Repeated, NULLABLE, 0), // versions
    // 567 resource/v1.DeviceCapacity
    f(1, 6086, 5, K::Quantity, S::One, REQUIRED, 0), // value
    f(2, 7299, 13, K::Message, S::One, NULLABLE, 558), // requestPolicy
    // 568 resource/v1.DeviceClaim
    f(1, 10166, 8, K::Message, S::Repeated, REQUIRED | NULLABLE, 577), // requests
    f(2, 8174, 11, K::Message, S::Repeated, NULLABLE, 575), // constraints
    f(3, 5486, 6, K::Message, S::Repeated, NULLABLE, 569), // config
    // 569 resource/v1.DeviceClaimConfiguration
    f(1, 10166, 8, K::String, S::Repeated, NULLABLE, 0), // requests
    f(2, 0, 0, K::Message, S::One, INLINE | REQUIRED, 574), // 
    // 570 resource/v1.DeviceClass
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 5346, 4, K::Message, S::One, REQUIRED, 573), // spec
    // 571 resource/v1.DeviceClassConfiguration
    f(1, 0, 0, K::Message, S::One, INLINE | REQUIRED, 574), // 
    // 572 resource/v1.DeviceClassList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 570), // items
    // 573 resource/v1.DeviceClassSpec
    f(1, 9596, 9, K::Message, S::Repeated, NULLABLE, 579), // selectors
    f(2, 5486, 6, K::Message, S::Repeated, NULLABLE, 571), // config
    f(4, 2584, 20, K::String, S::One, NULLABLE, 0), // extendedResourceName
    // 574 resource/v1.DeviceConfiguration
    f(1, 10784, 6, K::Message, S::One, NULLABLE, 591), // opaque
    // 575 resource/v1.DeviceConstraint
    f(1, 10166, 8, K::String, S::Repeated, NULLABLE, 0), // requests
    f(2, 6496, 14, K::String, S::One, NULLABLE, 0), // matchAttribute
    f(3, 4098, 17, K::String, S::One, NULLABLE, 0), // distinctAttribute
    // 576 resource/v1.DeviceCounterConsumption
    f(1, 8740, 10, K::String, S::One, REQUIRED, 0), // counterSet
    f(2, 9838, 8, K::Message, S::Map, NULLABLE, 561), // counters
    f(3, 2922, 19, K::String, S::Repeated, NULLABLE, 0), // compatibilityGroups
    // 577 resource/v1.DeviceRequest
    f(1, 4251, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 10332, 7, K::Message, S::One, NULLABLE, 585), // exactly
    f(3, 6342, 14, K::Message, S::Repeated, NULLABLE, 580), // firstAvailable
    // 578 resource/v1.DeviceRequestAllocationResult
    f(1, 3713, 7, K::String, S::One, REQUIRED, 0), // request
    f(2, 8760, 6, K::String, S::One, REQUIRED, 0), // driver
    f(3, 9515, 4, K::String, S::One, REQUIRED, 0), // pool
    f(4, 4786, 6, K::String, S::One, REQUIRED, 0), // device
    f(5, 8053, 11, K::Bool, S::One, NULLABLE, 0), // adminAccess
    f(6, 8614, 11, K::Message, S::Repeated, NULLABLE, 402), // tolerations
    f(7, 3928, 17, K::String, S::Repeated, NULLABLE, 0), // bindingConditions
    f(8, 1332, 24, K::String, S::Repeated, NULLABLE, 0), // bindingFailureConditions
    f(9, 10598, 7, K::String, S::One, NULLABLE, 0), // shareID
    f(10, 4706, 16, K::Quantity, S::Map, NULLABLE, 0), // consumedCapacity
    f(11, 3803, 18, K::String, S::Repeated, NULLABLE, 0), // skipNodeOperations
    // 579 resource/v1.DeviceSelector
    f(1, 11115, 3, K::Message, S::One, NULLABLE, 557), // cel
    // 580 resource/v1.DeviceSubRequest
    f(1, 4251, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 5591, 15, K::String, S::One, REQUIRED, 0), // deviceClassName
    f(3, 9596, 9, K::Message, S::Repeated, NULLABLE, 579), // selectors
    f(4, 6146, 14, K::String, S::One, SKIP_ZERO, 0), // allocationMode
    f(5, 631, 5, K::Int, S::One, SKIP_ZERO, 0), // count
    f(6, 8614, 11, K::Message, S::Repeated, NULLABLE, 402), // tolerations
    f(7, 3317, 8, K::Message, S::One, NULLABLE, 560), // capacity
    f(8, 4064, 17, K::Message, S::Repeated, NULLABLE, 6), // derivedAttributes
    // 581 resource/v1.DeviceTaintRule
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 5346, 4, K::Message, S::One, REQUIRED, 583), // spec
    f(3, 3821, 6, K::Message, S::One, REQUIRED, 524), // status
    // 582 resource/v1.DeviceTaintRuleList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 581), // items
    // 583 resource/v1.DeviceTaintRuleSpec
    f(1, 6314, 14, K::Message, S::One, NULLABLE, 584), // deviceSelector
    f(2, 10892, 5, K::Message, S::One, REQUIRED, 401), // taint
    // 584 resource/v1.DeviceTaintSelector
    f(2, 8760, 6, K::String, S::One, NULLABLE, 0), // driver
    f(3, 9515, 4, K::String, S::One, NULLABLE, 0), // pool
    f(4, 4786, 6, K::String, S::One, NULLABLE, 0), // device
    // 585 resource/v1.ExactDeviceRequest
    f(1, 5591, 15, K::String, S::One, REQUIRED, 0), // deviceClassName
    f(2, 9596, 9, K::Message, S::Repeated, NULLABLE, 579), // selectors
    f(3, 6146, 14, K::String, S::One, SKIP_ZERO, 0), // allocationMode
    f(4, 631, 5, K::Int, S::One, SKIP_ZERO, 0), // count
    f(5, 8053, 11, K::Bool, S::One, NULLABLE, 0), // adminAccess
    f(6, 8614, 11, K::Message, S::Repeated, NULLABLE, 402), // tolerations
    f(7, 3317, 8, K::Message, S::One, NULLABLE, 560), // capacity
    f(8, 4064, 17, K::Message, S::Repeated, NULLABLE, 6), // derivedAttributes
    // 586 resource/v1.NetworkDeviceData
    f(1, 7078, 13, K::String, S::One, SKIP_ZERO, 0), // interfaceName
    f(2, 11121, 3, K::String, S::Repeated, NULLABLE, 0), // ips
    f(3, 5651, 15, K::String, S::One, SKIP_ZERO, 0), // hardwareAddress
    // 587 resource/v1.NodeAllocatableMapping
    f(1, 8152, 11, K::String, S::One, NULLABLE, 0), // capacityKey
    f(2, 3317, 18, K::Quantity, S::One, NULLABLE, 0), // capacityMultiplier
    f(3, 4786, 16, K::Quantity, S::One, NULLABLE, 0), // deviceMultiplier
    // 588 resource/v1.NodeAllocatableOverhead
    f(1, 10802, 6, K::Quantity, S::One, NULLABLE, 0), // perPod
    f(2, 7709, 12, K::Quantity, S::One, NULLABLE, 0), // perContainer
    // 589 resource/v1.NodeAllocatableResource
    f(3, 10451, 7, K::Message, S::One, NULLABLE, 587), // mapping
    f(4, 10054, 8, K::Message, S::One, NULLABLE, 588), // overhead
    // 590 resource/v1.NodeAllocatableResourceMapping
    f(1, 8152, 11, K::String, S::One, NULLABLE, 0), // capacityKey
    f(2, 2424, 20, K::Quantity, S::One, NULLABLE, 0), // allocationMultiplier
    // 591 resource/v1.OpaqueDeviceConfiguration
    f(1, 8760, 6, K::String, S::One, REQUIRED, 0), // driver
    f(2, 8920, 10, K::Raw, S::One, REQUIRED, 0), // parameters
    // 592 resource/v1.ResourceClaim
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 5346, 4, K::Message, S::One, REQUIRED, 595), // spec
    f(3, 3821, 6, K::Message, S::One, REQUIRED, 596), // status
    // 593 resource/v1.ResourceClaimConsumerReference
    f(1, 9209, 8, K::String, S::One, SKIP_ZERO, 0), // apiGroup
    f(3, 460, 8, K::String, S::One, REQUIRED, 0), // resource
    f(4, 4251, 4, K::String, S::One, REQUIRED, 0), // name
    f(5, 11139, 3, K::String, S::One, REQUIRED, 0), // uid
    // 594 resource/v1.ResourceClaimList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 592), // items
    // 595 resource/v1.ResourceClaimSpec
    f(1, 10290, 7, K::Message, S::One, REQUIRED, 568), // devices
    // 596 resource/v1.ResourceClaimStatus
    f(1, 2424, 10, K::Message, S::One, NULLABLE, 556), // allocation
    f(2, 8526, 11, K::Message, S::Repeated, NULLABLE, 593), // reservedFor
    f(4, 10290, 7, K::Message, S::Repeated, NULLABLE, 555), // devices
    // 597 resource/v1.ResourceClaimTemplate
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 5346, 4, K::Message, S::One, REQUIRED, 599), // spec
    // 598 resource/v1.ResourceClaimTemplateList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 597), // items
    // 599 resource/v1.ResourceClaimTemplateSpec
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 5346, 4, K::Message, S::One, REQUIRED, 595), // spec
    // 600 resource/v1.ResourcePool
    f(1, 4251, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 8830, 10, K::Int, S::One, REQUIRED, 0), // generation
    f(3, 3749, 18, K::Int, S::One, REQUIRED, 0), // resourceSliceCount
    // 601 resource/v1.ResourceSlice
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 5346, 4, K::Message, S::One, REQUIRED, 603), // spec
    // 602 resource/v1.ResourceSliceList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 601), // items
    // 603 resource/v1.ResourceSliceSpec
    f(1, 8760, 6, K::String, S::One, REQUIRED, 0), // driver
    f(2, 9515, 4, K::Message, S::One, REQUIRED, 600), // pool
    f(3, 10006, 8, K::String, S::One, NULLABLE, 0), // nodeName
    f(4, 4268, 12, K::Message, S::One, NULLABLE, 307), // nodeSelector
    f(5, 9774, 8, K::Bool, S::One, NULLABLE, 0), // allNodes
    f(6, 10290, 7, K::Message, S::Repeated, NULLABLE, 563), // devices
    f(7, 1957, 22, K::Bool, S::One, NULLABLE, 0), // perDeviceNodeSelection
    f(8, 6692, 14, K::Message, S::Repeated, NULLABLE, 562), // sharedCounters
    f(9, 1935, 22, K::String, S::One, NULLABLE, 0), // partitionTypeAttribute
    f(10, 3803, 18, K::String, S::Repeated, NULLABLE, 0), // skipNodeOperations
    // 604 resource/v1alpha3.AllocatedDeviceStatus
    f(1, 8760, 6, K::String, S::One, REQUIRED, 0), // driver
    f(2, 9515, 4, K::String, S::One, REQUIRED, 0), // pool
    f(3, 4786, 6, K::String, S::One, REQUIRED, 0), // device
    f(4, 7263, 10, K::Message, S::Repeated, REQUIRED | NULLABLE, 757), // conditions
    f(5, 3277, 4, K::Raw, S::One, NULLABLE, 0), // data
    f(6, 8416, 11, K::Message, S::One, NULLABLE, 586), // networkData
    // 605 resource/v1alpha3.AllocationResult
    f(1, 10290, 7, K::Message, S::One, REQUIRED, 608), // devices
    f(3, 4268, 12, K::Message, S::One, NULLABLE, 307), // nodeSelector
    // 606 resource/v1alpha3.BasicDevice
    f(1, 8680, 10, K::Message, S::Map, NULLABLE, 609), // attributes
    f(2, 3317, 8, K::Quantity, S::Map, NULLABLE, 0), // capacity
    f(3, 4722, 16, K::Message, S::Repeated, NULLABLE, 615), // consumesCounters
    f(4, 10006, 8, K::String, S::One, NULLABLE, 0), // nodeName
    f(5, 4268, 12, K::Message, S::One, NULLABLE, 307), // nodeSelector
    f(6, 9774, 8, K::Bool, S::One, NULLABLE, 0), // allNodes
    f(7, 10892, 6, K::Message, S::Repeated, NULLABLE, 401), // taints
    // 607 resource/v1alpha3.Device
    f(1, 4251, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 10932, 5, K::Message, S::One, NULLABLE, 606), // basic
    // 608 resource/v1alpha3.DeviceAllocationResult
    f(1, 10549, 7, K::Message, S::Repeated, NULLABLE, 617), // results
    f(2, 5486, 6, K::Message, S::Repeated, NULLABLE, 564), // config
    // 609 resource/v1alpha3.DeviceAttribute
    f(2, 998, 3, K::Int, S::One, NULLABLE, 0), // int
    f(3, 10937, 4, K::Bool, S::One, NULLABLE, 0), // bool
    f(4, 1005, 6, K::String, S::One, NULLABLE, 0), // string
    f(5, 1359, 7, K::String, S::One, NULLABLE, 0), // version
    // 610 resource/v1alpha3.DeviceClaim
    f(1, 10166, 8, K::Message, S::Repeated, REQUIRED | NULLABLE, 616), // requests
    f(2, 8174, 11, K::Message, S::Repeated, NULLABLE, 614), // constraints
    f(3, 5486, 6, K::Message, S::Repeated, NULLABLE, 569), // config
    // 611 resource/v1alpha3.DeviceClass
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 5346, 4, K::Message, S::One, REQUIRED, 613), // spec
    // 612 resource/v1alpha3.DeviceClassList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 611), // items
    // 613 resource/v1alpha3.DeviceClassSpec
    f(1, 9596, 9, K::Message, S::Repeated, NULLABLE, 579), // selectors
    f(2, 5486, 6, K::Message, S::Repeated, NULLABLE, 571), // config
    // 614 resource/v1alpha3.DeviceConstraint
    f(1, 10166, 8, K::String, S::Repeated, NULLABLE, 0), // requests
    f(2, 6496, 14, K::String, S::One, NULLABLE, 0), // matchAttribute
    // 615 resource/v1alpha3.DeviceCounterConsumption
    f(1, 8740, 10, K::String, S::One, REQUIRED, 0), // counterSet
    f(2, 9838, 8, K::Message, S::Map, NULLABLE, 561), // counters
    // 616 resource/v1alpha3.DeviceRequest
    f(1, 4251, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 5591, 15, K::String, S::One, REQUIRED, 0), // deviceClassName
    f(3, 9596, 9, K::Message, S::Repeated, NULLABLE, 579), // selectors
    f(4, 6146, 14, K::String, S::One, SKIP_ZERO, 0), // allocationMode
    f(5, 631, 5, K::Int, S::One, SKIP_ZERO, 0), // count
    f(6, 8053, 11, K::Bool, S::One, NULLABLE, 0), // adminAccess
    f(7, 6342, 14, K::Message, S::Repeated, NULLABLE, 618), // firstAvailable
    f(8, 8614, 11, K::Message, S::Repeated, NULLABLE, 402), // tolerations
    // 617 resource/v1alpha3.DeviceRequestAllocationResult
    f(1, 3713, 7, K::String, S::One, REQUIRED, 0), // request
    f(2, 8760, 6, K::String, S::One, REQUIRED, 0), // driver
    f(3, 9515, 4, K::String, S::One, REQUIRED, 0), // pool
    f(4, 4786, 6, K::String, S::One, REQUIRED, 0), // device
    f(5, 8053, 11, K::Bool, S::One, REQUIRED | NULLABLE, 0), // adminAccess
    f(6, 8614, 11, K::Message, S::Repeated, NULLABLE, 402), // tolerations
    // 618 resource/v1alpha3.DeviceSubRequest
    f(1, 4251, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 5591, 15, K::String, S::One, REQUIRED, 0), // deviceClassName
    f(3, 9596, 9, K::Message, S::Repeated, NULLABLE, 579), // selectors
    f(4, 6146, 14, K::String, S::One, SKIP_ZERO, 0), // allocationMode
    f(5, 631, 5, K::Int, S::One, SKIP_ZERO, 0), // count
    f(7, 8614, 11, K::Message, S::Repeated, NULLABLE, 402), // tolerations
    // 619 resource/v1alpha3.DeviceTaintRule
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 5346, 4, K::Message, S::One, REQUIRED, 621), // spec
    f(3, 3821, 6, K::Message, S::One, 0, 524), // status
    // 620 resource/v1alpha3.DeviceTaintRuleList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 619), // items
    // 621 resource/v1alpha3.DeviceTaintRuleSpec
    f(1, 6314, 14, K::Message, S::One, NULLABLE, 622), // deviceSelector
    f(2, 10892, 5, K::Message, S::One, REQUIRED, 401), // taint
    // 622 resource/v1alpha3.DeviceTaintSelector
    f(1, 5591, 15, K::String, S::One, NULLABLE, 0), // deviceClassName
    f(2, 8760, 6, K::String, S::One, NULLABLE, 0), // driver
    f(3, 9515, 4, K::String, S::One, NULLABLE, 0), // pool
    f(4, 4786, 6, K::String, S::One, NULLABLE, 0), // device
    f(5, 9596, 9, K::Message, S::Repeated, NULLABLE, 579), // selectors
    // 623 resource/v1alpha3.PartitionTypeStatus
    f(1, 2085, 4, K::String, S::One, SKIP_ZERO, 0), // type
    f(2, 7913, 5, K::Int, S::One, NULLABLE, 0), // total
    f(3, 8064, 11, K::Int, S::One, NULLABLE, 0), // allocatable
    f(4, 8680, 9, K::String, S::One, SKIP_ZERO, 0), // attribute
    // 624 resource/v1alpha3.PoolStatus
    f(1, 8760, 6, K::String, S::One, SKIP_ZERO, 0), // driver
    f(2, 10110, 8, K::String, S::One, SKIP_ZERO, 0), // poolName
    f(3, 10006, 8, K::String, S::One, NULLABLE, 0), // nodeName
    f(4, 7913, 12, K::Int, S::One, NULLABLE, 0), // totalDevices
    f(5, 4642, 16, K::Int, S::One, NULLABLE, 0), // allocatedDevices
    f(6, 3877, 16, K::Int, S::One, NULLABLE, 0), // availableDevices
    f(7, 3875, 18, K::Int, S::One, NULLABLE, 0), // unavailableDevices
    f(8, 3749, 18, K::Int, S::One, NULLABLE, 0), // resourceSliceCount
    f(9, 8830, 10, K::Int, S::One, REQUIRED, 0), // generation
    f(10, 6071, 15, K::String, S::One, NULLABLE, 0), // validationError
    f(11, 5154, 16, K::Message, S::Repeated, NULLABLE, 623), // partitionSummary
    f(13, 5314, 16, K::Message, S::One, NULLABLE, 640), // shareableSummary
    // 625 resource/v1alpha3.ResourceClaim
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 5346, 4, K::Message, S::One, REQUIRED, 627), // spec
    f(3, 3821, 6, K::Message, S::One, REQUIRED, 628), // status
    // 626 resource/v1alpha3.ResourceClaimList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 625), // items
    // 627 resource/v1alpha3.ResourceClaimSpec
    f(1, 10290, 7, K::Message, S::One, REQUIRED, 610), // devices
    // 628 resource/v1alpha3.ResourceClaimStatus
    f(1, 2424, 10, K::Message, S::One, NULLABLE, 605), // allocation
    f(2, 8526, 11, K::Message, S::Repeated, NULLABLE, 593), // reservedFor
    f(4, 10290, 7, K::Message, S::Repeated, NULLABLE, 604), // devices
    // 629 resource/v1alpha3.ResourceClaimTemplate
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 5346, 4, K::Message, S::One, REQUIRED, 631), // spec
    // 630 resource/v1alpha3.ResourceClaimTemplateList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 629), // items
    // 631 resource/v1alpha3.ResourceClaimTemplateSpec
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 5346, 4, K::Message, S::One, REQUIRED, 627), // spec
    // 632 resource/v1alpha3.ResourcePoolStatusRequest
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 5346, 4, K::Message, S::One, REQUIRED, 634), // spec
    f(3, 3821, 6, K::Message, S::One, NULLABLE, 635), // status
    // 633 resource/v1alpha3.ResourcePoolStatusRequestList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 632), // items
    // 634 resource/v1alpha3.ResourcePoolStatusRequestSpec
    f(1, 8760, 6, K::String, S::One, REQUIRED, 0), // driver
    f(2, 10110, 8, K::String, S::One, NULLABLE, 0), // poolName
    f(3, 7156, 5, K::Int, S::One, NULLABLE, 0), // limit
    f(4, 497, 29, K::String, S::One, NULLABLE, 0), // defaultPartitionTypeAttribute
    // 635 resource/v1alpha3.ResourcePoolStatusRequestStatus
    f(2, 10997, 5, K::Message, S::Repeated, NULLABLE, 624), // pools
    f(3, 7263, 10, K::Message, S::Repeated, NULLABLE, 757), // conditions
    f(6, 9515, 9, K::Int, S::One, NULLABLE, 0), // poolCount
    // 636 resource/v1alpha3.ResourceSlice
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 5346, 4, K::Message, S::One, REQUIRED, 638), // spec
    // 637 resource/v1alpha3.ResourceSliceList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 636), // items
    // 638 resource/v1alpha3.ResourceSliceSpec
    f(1, 8760, 6, K::String, S::One, REQUIRED, 0), // driver
    f(2, 9515, 4, K::Message, S::One, REQUIRED, 600), // pool
    f(3, 10006, 8, K::String, S::One, SKIP_ZERO, 0), // nodeName
    f(4, 4268, 12, K::Message, S::One, NULLABLE, 307), // nodeSelector
    f(5, 9774, 8, K::Bool, S::One, SKIP_ZERO, 0), // allNodes
    f(6, 10290, 7, K::Message, S::Repeated, REQUIRED | NULLABLE, 607), // devices
    f(7, 1957, 22, K::Bool, S::One, NULLABLE, 0), // perDeviceNodeSelection
    f(8, 6692, 14, K::Message, S::Repeated, NULLABLE, 562), // sharedCounters
    // 639 resource/v1alpha3.ShareableCapacityStatus
    f(1, 4251, 4, K::String, S::One, SKIP_ZERO, 0), // name
    f(2, 7913, 5, K::Quantity, S::One, NULLABLE, 0), // total
    f(3, 4706, 8, K::Quantity, S::One, NULLABLE, 0), // consumed
    f(4, 3228, 9, K::Quantity, S::One, NULLABLE, 0), // available
    // 640 resource/v1alpha3.ShareableSummaryStatus
    f(1, 2173, 21, K::Int, S::One, NULLABLE, 0), // fullyAvailableDevices
    f(2, 1087, 25, K::Int, S::One, NULLABLE, 0), // partiallyAvailableDevices
    f(3, 3317, 8, K::Message, S::Repeated, NULLABLE, 639), // capacity
    // 641 resource/v1beta1.BasicDevice
    f(1, 8680, 10, K::Message, S::Map, NULLABLE, 566), // attributes
    f(2, 3317, 8, K::Message, S::Map, NULLABLE, 567), // capacity
    f(3, 4722, 16, K::Message, S::Repeated, NULLABLE, 576), // consumesCounters
    f(4, 10006, 8, K::String, S::One, NULLABLE, 0), // nodeName
    f(5, 4268, 12, K::Message, S::One, NULLABLE, 307), // nodeSelector
    f(6, 9774, 8, K::Bool, S::One, NULLABLE, 0), // allNodes
    f(7, 10892, 6, K::Message, S::Repeated, NULLABLE, 401), // taints
    f(8, 8130, 11, K::Bool, S::One, NULLABLE, 0), // bindsToNode
    f(9, 3928, 17, K::String, S::Repeated, NULLABLE, 0), // bindingConditions
    f(10, 1332, 24, K::String, S::Repeated, NULLABLE, 0), // bindingFailureConditions
    f(11, 1260, 24, K::Bool, S::One, NULLABLE, 0), // allowMultipleAllocations
    f(12, 346, 31, K::Message, S::Map, NULLABLE, 590), // nodeAllocatableResourceMappings
    f(14, 1428, 24, K::Message, S::Map, NULLABLE, 589), // nodeAllocatableResources
    // 642 resource/v1beta1.Device
    f(1, 4251, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 10932, 5, K::Message, S::One, NULLABLE, 641), // basic
    // 643 resource/v1beta1.DeviceClaim
    f(1, 10166, 8, K::Message, S::Repeated, REQUIRED | NULLABLE, 644), // requests
    f(2, 8174, 11, K::Message, S::Repeated, NULLABLE, 575), // constraints
    f(3, 5486, 6, K::Message, S::Repeated, NULLABLE, 569), // config
    // 644 resource/v1beta1.DeviceRequest
    f(1, 4251, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 5591, 15, K::String, S::One, REQUIRED, 0), // deviceClassName
    f(3, 9596, 9, K::Message, S::Repeated, NULLABLE, 579), // selectors
    f(4, 6146, 14, K::String, S::One, SKIP_ZERO, 0), // allocationMode
    f(5, 631, 5, K::Int, S::One, SKIP_ZERO, 0), // count
    f(6, 8053, 11, K::Bool, S::One, NULLABLE, 0), // adminAccess
    f(7, 6342, 14, K::Message, S::Repeated, NULLABLE, 645), // firstAvailable
    f(8, 8614, 11, K::Message, S::Repeated, NULLABLE, 402), // tolerations
    f(9, 3317, 8, K::Message, S::One, NULLABLE, 560), // capacity
    f(10, 4064, 17, K::Message, S::Repeated, NULLABLE, 6), // derivedAttributes
    // 645 resource/v1beta1.DeviceSubRequest
    f(1, 4251, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 5591, 15, K::String, S::One, REQUIRED, 0), // deviceClassName
    f(3, 9596, 9, K::Message, S::Repeated, NULLABLE, 579), // selectors
    f(4, 6146, 14, K::String, S::One, SKIP_ZERO, 0), // allocationMode
    f(5, 631, 5, K::Int, S::One, SKIP_ZERO, 0), // count
    f(7, 8614, 11, K::Message, S::Repeated, NULLABLE, 402), // tolerations
    f(8, 3317, 8, K::Message, S::One, NULLABLE, 560), // capacity
    f(9, 4064, 17, K::Message, S::Repeated, NULLABLE, 6), // derivedAttributes
    // 646 resource/v1beta1.ResourceClaim
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 5346, 4, K::Message, S::One, REQUIRED, 648), // spec
    f(3, 3821, 6, K::Message, S::One, REQUIRED, 596), // status
    // 647 resource/v1beta1.ResourceClaimList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 646), // items
    // 648 resource/v1beta1.ResourceClaimSpec
    f(1, 10290, 7, K::Message, S::One, REQUIRED, 643), // devices
    // 649 resource/v1beta1.ResourceClaimTemplate
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 5346, 4, K::Message, S::One, REQUIRED, 651), // spec
    // 650 resource/v1beta1.ResourceClaimTemplateList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 649), // items
    // 651 resource/v1beta1.ResourceClaimTemplateSpec
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 5346, 4, K::Message, S::One, REQUIRED, 648), // spec
    // 652 resource/v1beta1.ResourceSlice
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 5346, 4, K::Message, S::One, REQUIRED, 654), // spec
    // 653 resource/v1beta1.ResourceSliceList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 652), // items
    // 654 resource/v1beta1.ResourceSliceSpec
    f(1, 8760, 6, K::String, S::One, REQUIRED, 0), // driver
    f(2, 9515, 4, K::Message, S::One, REQUIRED, 600), // pool
    f(3, 10006, 8, K::String, S::One, SKIP_ZERO, 0), // nodeName
    f(4, 4268, 12, K::Message, S::One, NULLABLE, 307), // nodeSelector
    f(5, 9774, 8, K::Bool, S::One, SKIP_ZERO, 0), // allNodes
    f(6, 10290, 7, K::Message, S::Repeated, NULLABLE, 642), // devices
    f(7, 1957, 22, K::Bool, S::One, NULLABLE, 0), // perDeviceNodeSelection
    f(8, 6692, 14, K::Message, S::Repeated, NULLABLE, 562), // sharedCounters
    f(9, 1935, 22, K::String, S::One, NULLABLE, 0), // partitionTypeAttribute
    f(10, 3803, 18, K::String, S::Repeated, NULLABLE, 0), // skipNodeOperations
    // 655 scheduling/v1.PriorityClass
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 6086, 5, K::Int, S::One, REQUIRED, 0), // value
    f(3, 7026, 13, K::Bool, S::One, SKIP_ZERO, 0), // globalDefault
    f(4, 8251, 11, K::String, S::One, SKIP_ZERO, 0), // description
    f(5, 5186, 16, K::String, S::One, NULLABLE, 0), // preemptionPolicy
    // 656 scheduling/v1.PriorityClassList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 655), // items
    // 657 scheduling/v1alpha1.GangSchedulingPolicy
    f(1, 9974, 8, K::Int, S::One, REQUIRED, 0), // minCount
    // 658 scheduling/v1alpha1.PodGroup
    f(1, 4251, 4, K::String, S::One, REQUIRED, 0), // name
    f(3, 8471, 6, K::Message, S::One, REQUIRED, 659), // policy
    // 659 scheduling/v1alpha1.PodGroupPolicy
    f(2, 10932, 5, K::Message, S::One, NULLABLE, 52), // basic
    f(3, 11075, 4, K::Message, S::One, NULLABLE, 657), // gang
    // 660 scheduling/v1alpha1.TypedLocalObjectReference
    f(1, 9209, 8, K::String, S::One, SKIP_ZERO, 0), // apiGroup
    f(2, 11083, 4, K::String, S::One, REQUIRED, 0), // kind
    f(3, 4251, 4, K::String, S::One, REQUIRED, 0), // name
    // 661 scheduling/v1alpha1.Workload
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 5346, 4, K::Message, S::One, REQUIRED, 663), // spec
    // 662 scheduling/v1alpha1.WorkloadList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 661), // items
    // 663 scheduling/v1alpha1.WorkloadSpec
    f(1, 6922, 13, K::Message, S::One, NULLABLE, 660), // controllerRef
    f(2, 9506, 9, K::Message, S::Repeated, REQUIRED | NULLABLE, 658), // podGroups
    // 664 scheduling/v1alpha2.PodGroup
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 5346, 4, K::Message, S::One, REQUIRED, 669), // spec
    f(3, 3821, 6, K::Message, S::One, REQUIRED, 670), // status
    // 665 scheduling/v1alpha2.PodGroupList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 664), // items
    // 666 scheduling/v1alpha2.PodGroupResourceClaim
    f(1, 4251, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 4455, 17, K::String, S::One, NULLABLE, 0), // resourceClaimName
    f(3, 1112, 25, K::String, S::One, NULLABLE, 0), // resourceClaimTemplateName
    // 667 scheduling/v1alpha2.PodGroupSchedulingConstraints
    f(1, 1137, 8, K::Message, S::Repeated, NULLABLE, 673), // topology
    // 668 scheduling/v1alpha2.PodGroupSchedulingPolicy
    f(1, 10932, 5, K::Message, S::One, NULLABLE, 52), // basic
    f(2, 11075, 4, K::Message, S::One, NULLABLE, 657), // gang
    // 669 scheduling/v1alpha2.PodGroupSpec
    f(1, 3074, 19, K::Message, S::One, REQUIRED | NULLABLE, 672), // podGroupTemplateRef
    f(2, 5282, 16, K::Message, S::One, REQUIRED, 668), // schedulingPolicy
    f(3, 2320, 21, K::Message, S::One, NULLABLE, 667), // schedulingConstraints
    f(4, 6622, 14, K::Message, S::Repeated, NULLABLE, 666), // resourceClaims
    f(5, 6328, 14, K::String, S::One, NULLABLE, 0), // disruptionMode
    f(6, 4370, 17, K::String, S::One, SKIP_ZERO, 0), // priorityClassName
    f(7, 855, 8, K::Int, S::One, NULLABLE, 0), // priority
    // 670 scheduling/v1alpha2.PodGroupStatus
    f(1, 7263, 10, K::Message, S::Repeated, NULLABLE, 757), // conditions
    f(2, 2299, 21, K::Message, S::Repeated, NULLABLE, 344), // resourceClaimStatuses
    // 671 scheduling/v1alpha2.PodGroupTemplate
    f(1, 4251, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 5282, 16, K::Message, S::One, REQUIRED, 668), // schedulingPolicy
    f(3, 2320, 21, K::Message, S::One, REQUIRED | NULLABLE, 667), // schedulingConstraints
    f(4, 6622, 14, K::Message, S::Repeated, NULLABLE, 666), // resourceClaims
    f(5, 6328, 14, K::String, S::One, NULLABLE, 0), // disruptionMode
    f(6, 4370, 17, K::String, S::One, SKIP_ZERO, 0), // priorityClassName
    f(7, 855, 8, K::Int, S::One, NULLABLE, 0), // priority
    // 672 scheduling/v1alpha2.PodGroupTemplateReference
    f(1, 7997, 8, K::Message, S::One, REQUIRED | NULLABLE, 676), // workload
    // 673 scheduling/v1alpha2.TopologyConstraint
    f(1, 1033, 3, K::String, S::One, REQUIRED, 0), // key
    // 674 scheduling/v1alpha2.Workload
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 5346, 4, K::Message, S::One, REQUIRED, 677), // spec
    // 675 scheduling/v1alpha2.WorkloadList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 674), // items
    // 676 scheduling/v1alpha2.WorkloadPodGroupTemplateReference
    f(1, 7997, 12, K::String, S::One, REQUIRED, 0), // workloadName
    f(2, 2764, 20, K::String, S::One, REQUIRED, 0), // podGroupTemplateName
    // 677 scheduling/v1alpha2.WorkloadSpec
    f(1, 6922, 13, K::Message, S::One, NULLABLE, 660), // controllerRef
    f(2, 4353, 17, K::Message, S::Repeated, REQUIRED | NULLABLE, 671), // podGroupTemplates
    // 678 scheduling/v1alpha3.CompositeDisruptionMode
    f(1, 10868, 6, K::Message, S::One, NULLABLE, 52), // single
    f(2, 468, 3, K::Message, S::One, NULLABLE, 52), // all
    // 679 scheduling/v1alpha3.CompositeGangSchedulingPolicy
    f(1, 7208, 13, K::Int, S::One, REQUIRED, 0), // minGroupCount
    // 680 scheduling/v1alpha3.CompositePodGroup
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 5346, 4, K::Message, S::One, REQUIRED, 683), // spec
    f(3, 3821, 6, K::Message, S::One, REQUIRED, 524), // status
    // 681 scheduling/v1alpha3.CompositePodGroupList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 680), // items
    // 682 scheduling/v1alpha3.CompositePodGroupSchedulingPolicy
    f(1, 10932, 5, K::Message, S::One, NULLABLE, 52), // basic
    f(2, 11075, 4, K::Message, S::One, NULLABLE, 679), // gang
    // 683 scheduling/v1alpha3.CompositePodGroupSpec
    f(1, 724, 27, K::String, S::One, NULLABLE, 0), // parentCompositePodGroupName
    f(2, 8669, 11, K::Message, S::One, REQUIRED | NULLABLE, 693), // workloadRef
    f(3, 5282, 16, K::Message, S::One, REQUIRED, 682), // schedulingPolicy
    f(4, 2320, 21, K::Message, S::One, NULLABLE, 667), // schedulingConstraints
    f(5, 6328, 14, K::Message, S::One, NULLABLE, 678), // disruptionMode
    f(6, 4370, 17, K::String, S::One, SKIP_ZERO, 0), // priorityClassName
    f(7, 855, 8, K::Int, S::One, NULLABLE, 0), // priority
    f(8, 5186, 16, K::String, S::One, NULLABLE, 0), // preemptionPolicy
    // 684 scheduling/v1alpha3.CompositePodGroupTemplate
    f(1, 4251, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 5282, 16, K::Message, S::One, REQUIRED, 682), // schedulingPolicy
    f(3, 2320, 21, K::Message, S::One, NULLABLE, 667), // schedulingConstraints
    f(4, 6328, 14, K::Message, S::One, NULLABLE, 678), // disruptionMode
    f(5, 4370, 17, K::String, S::One, SKIP_ZERO, 0), // priorityClassName
    f(6, 855, 8, K::Int, S::One, NULLABLE, 0), // priority
    f(7, 5186, 16, K::String, S::One, NULLABLE, 0), // preemptionPolicy
    f(8, 4353, 17, K::Message, S::Repeated, NULLABLE, 688), // podGroupTemplates
    f(9, 751, 26, K::Message, S::Repeated, NULLABLE, 684), // compositePodGroupTemplates
    // 685 scheduling/v1alpha3.PodGroup
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 5346, 4, K::Message, S::One, REQUIRED, 687), // spec
    f(3, 3821, 6, K::Message, S::One, REQUIRED, 670), // status
    // 686 scheduling/v1alpha3.PodGroupList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 685), // items
    // 687 scheduling/v1alpha3.PodGroupSpec
    f(1, 724, 27, K::String, S::One, NULLABLE, 0), // parentCompositePodGroupName
    f(2, 8669, 11, K::Message, S::One, NULLABLE, 693), // workloadRef
    f(3, 5282, 16, K::Message, S::One, REQUIRED, 668), // schedulingPolicy
    f(4, 2320, 21, K::Message, S::One, NULLABLE, 667), // schedulingConstraints
    f(5, 6622, 14, K::Message, S::Repeated, NULLABLE, 666), // resourceClaims
    f(6, 6328, 14, K::Message, S::One, NULLABLE, 678), // disruptionMode
    f(7, 4370, 17, K::String, S::One, SKIP_ZERO, 0), // priorityClassName
    f(8, 855, 8, K::Int, S::One, NULLABLE, 0), // priority
    f(9, 5186, 16, K::String, S::One, NULLABLE, 0), // preemptionPolicy
    // 688 scheduling/v1alpha3.PodGroupTemplate
    f(1, 4251, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 5282, 16, K::Message, S::One, REQUIRED, 668), // schedulingPolicy
    f(3, 2320, 21, K::Message, S::One, REQUIRED | NULLABLE, 667), // schedulingConstraints
    f(4, 6622, 14, K::Message, S::Repeated, NULLABLE, 666), // resourceClaims
    f(5, 6328, 14, K::Message, S::One, NULLABLE, 678), // disruptionMode
    f(6, 4370, 17, K::String, S::One, SKIP_ZERO, 0), // priorityClassName
    f(7, 855, 8, K::Int, S::One, NULLABLE, 0), // priority
    f(8, 5186, 16, K::String, S::One, NULLABLE, 0), // preemptionPolicy
    // 689 scheduling/v1alpha3.Workload
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 5346, 4, K::Message, S::One, REQUIRED, 694), // spec
    // 690 scheduling/v1alpha3.WorkloadList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 689), // items
    // 691 scheduling/v1alpha3.WorkloadPodGroupGangSchedulingPolicy
    f(1, 9974, 8, K::Int, S::One, NULLABLE, 0), // minCount
    // 692 scheduling/v1alpha3.WorkloadPodGroupSchedulingPolicy
    f(1, 10932, 5, K::Message, S::One, NULLABLE, 52), // basic
    f(2, 11075, 4, K::Message, S::One, NULLABLE, 691), // gang
    // 693 scheduling/v1alpha3.WorkloadReference
    f(1, 7997, 12, K::String, S::One, REQUIRED, 0), // workloadName
    f(2, 7889, 12, K::String, S::One, REQUIRED, 0), // templateName
    // 694 scheduling/v1alpha3.WorkloadSpec
    f(1, 6922, 13, K::Message, S::One, NULLABLE, 660), // controllerRef
    f(2, 4353, 17, K::Message, S::Repeated, REQUIRED | NULLABLE, 688), // podGroupTemplates
    f(3, 751, 26, K::Message, S::Repeated, NULLABLE, 684), // compositePodGroupTemplates
    // 695 storage/v1.CSIDriver
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 5346, 4, K::Message, S::One, REQUIRED, 697), // spec
    // 696 storage/v1.CSIDriverList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 695), // items
    // 697 storage/v1.CSIDriverSpec
    f(1, 6160, 14, K::Bool, S::One, NULLABLE, 0), // attachRequired
    f(2, 6566, 14, K::Bool, S::One, NULLABLE, 0), // podInfoOnMount
    f(3, 2864, 20, K::String, S::Repeated, NULLABLE, 0), // volumeLifecycleModes
    f(4, 5996, 15, K::Bool, S::One, NULLABLE, 0), // storageCapacity
    f(5, 7013, 13, K::String, S::One, NULLABLE, 0), // fsGroupPolicy
    f(6, 7429, 13, K::Message, S::Repeated, NULLABLE, 709), // tokenRequests
    f(7, 4438, 17, K::Bool, S::One, NULLABLE, 0), // requiresRepublish
    f(8, 7793, 12, K::Bool, S::One, NULLABLE, 0), // seLinuxMount
    f(9, 249, 34, K::Int, S::One, NULLABLE, 0), // nodeAllocatableUpdatePeriodSeconds
    f(10, 669, 28, K::Bool, S::One, NULLABLE, 0), // serviceAccountTokenInSecrets
    f(11, 555, 29, K::Bool, S::One, NULLABLE, 0), // preventPodSchedulingIfMissing
    // 698 storage/v1.CSINode
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 5346, 4, K::Message, S::One, REQUIRED, 701), // spec
    f(3, 3821, 6, K::Message, S::One, 0, 702), // status
    // 699 storage/v1.CSINodeDriver
    f(1, 4251, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 10778, 6, K::String, S::One, REQUIRED, 0), // nodeID
    f(3, 7901, 12, K::String, S::Repeated, REQUIRED | NULLABLE, 0), // topologyKeys
    f(4, 8064, 11, K::Message, S::One, NULLABLE, 718), // allocatable
    // 700 storage/v1.CSINodeList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 698), // items
    // 701 storage/v1.CSINodeSpec
    f(1, 10311, 7, K::Message, S::Repeated, REQUIRED | NULLABLE, 699), // drivers
    // 702 storage/v1.CSINodeStatus
    f(1, 7403, 13, K::Message, S::Repeated, NULLABLE, 707), // storageHealth
    // 703 storage/v1.CSIStorageCapacity
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 7697, 12, K::Message, S::One, NULLABLE, 765), // nodeTopology
    f(3, 5362, 16, K::String, S::One, REQUIRED, 0), // storageClassName
    f(4, 3317, 8, K::Quantity, S::One, NULLABLE, 0), // capacity
    f(5, 4200, 17, K::Quantity, S::One, NULLABLE, 0), // maximumVolumeSize
    // 704 storage/v1.CSIStorageCapacityList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 703), // items
    // 705 storage/v1.StorageClass
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 8482, 11, K::String, S::One, REQUIRED, 0), // provisioner
    f(3, 8920, 10, K::String, S::Map, NULLABLE, 0), // parameters
    f(4, 7286, 13, K::String, S::One, NULLABLE, 0), // reclaimPolicy
    f(5, 7685, 12, K::String, S::Repeated, NULLABLE, 0), // mountOptions
    f(6, 2444, 20, K::Bool, S::One, NULLABLE, 0), // allowVolumeExpansion
    f(7, 4608, 17, K::String, S::One, NULLABLE, 0), // volumeBindingMode
    f(8, 3911, 17, K::Message, S::Repeated, NULLABLE, 404), // allowedTopologies
    // 706 storage/v1.StorageClassList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 705), // items
    // 707 storage/v1.StorageHealth
    f(1, 4251, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 4866, 16, K::Message, S::Repeated, NULLABLE, 708), // healthConditions
    // 708 storage/v1.StorageHealthCondition
    f(1, 3821, 6, K::String, S::One, REQUIRED, 0), // status
    f(2, 10838, 6, K::String, S::One, REQUIRED, 0), // reason
    f(3, 4217, 7, K::String, S::One, SKIP_ZERO, 0), // message
    f(4, 8020, 10, K::String, S::One, NULLABLE, 0), // accessMode
    f(5, 9160, 10, K::String, S::One, NULLABLE, 0), // volumeMode
    f(6, 3515, 18, K::Time, S::One, REQUIRED, 0), // lastTransitionTime
    // 709 storage/v1.TokenRequest
    f(1, 9218, 8, K::String, S::One, REQUIRED, 0), // audience
    f(2, 4115, 17, K::Int, S::One, NULLABLE, 0), // expirationSeconds
    // 710 storage/v1.VolumeAttachment
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 5346, 4, K::Message, S::One, REQUIRED, 713), // spec
    f(3, 3821, 6, K::Message, S::One, REQUIRED, 714), // status
    // 711 storage/v1.VolumeAttachmentList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 710), // items
    // 712 storage/v1.VolumeAttachmentSource
    f(1, 2724, 20, K::String, S::One, NULLABLE, 0), // persistentVolumeName
    f(2, 4930, 16, K::Message, S::One, NULLABLE, 325), // inlineVolumeSpec
    // 713 storage/v1.VolumeAttachmentSpec
    f(1, 9798, 8, K::String, S::One, REQUIRED, 0), // attacher
    f(2, 158, 6, K::Message, S::One, REQUIRED, 712), // source
    f(3, 10006, 8, K::String, S::One, REQUIRED, 0), // nodeName
    // 714 storage/v1.VolumeAttachmentStatus
    f(1, 9790, 8, K::Bool, S::One, REQUIRED, 0), // attached
    f(2, 3263, 18, K::String, S::Map, NULLABLE, 0), // attachmentMetadata
    f(3, 8119, 11, K::Message, S::One, NULLABLE, 717), // attachError
    f(4, 8262, 11, K::Message, S::One, NULLABLE, 717), // detachError
    // 715 storage/v1.VolumeAttributesClass
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 8760, 10, K::String, S::One, REQUIRED, 0), // driverName
    f(3, 8920, 10, K::String, S::Map, NULLABLE, 0), // parameters
    // 716 storage/v1.VolumeAttributesClassList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 715), // items
    // 717 storage/v1.VolumeError
    f(1, 1607, 4, K::Time, S::One, REQUIRED, 0), // time
    f(2, 4217, 7, K::String, S::One, SKIP_ZERO, 0), // message
    f(3, 9290, 9, K::Int, S::One, NULLABLE, 0), // errorCode
    // 718 storage/v1.VolumeNodeResources
    f(1, 631, 5, K::Int, S::One, NULLABLE, 0), // count
    // 719 storagemigration/v1.StorageVersionMigration
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 5346, 4, K::Message, S::One, REQUIRED, 721), // spec
    f(3, 3821, 6, K::Message, S::One, REQUIRED, 722), // status
    // 720 storagemigration/v1.StorageVersionMigrationList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 719), // items
    // 721 storagemigration/v1.StorageVersionMigrationSpec
    f(1, 460, 8, K::Message, S::One, REQUIRED, 761), // resource
    // 722 storagemigration/v1.StorageVersionMigrationStatus
    f(1, 7263, 10, K::Message, S::Repeated, NULLABLE, 757), // conditions
    f(2, 2804, 15, K::String, S::One, SKIP_ZERO, 0), // resourceVersion
    // 723 storagemigration/v1alpha1.GroupVersionResource
    f(1, 2624, 5, K::String, S::One, SKIP_ZERO, 0), // group
    f(2, 1359, 7, K::String, S::One, SKIP_ZERO, 0), // version
    f(3, 460, 8, K::String, S::One, SKIP_ZERO, 0), // resource
    // 724 storagemigration/v1alpha1.MigrationCondition
    f(1, 2085, 4, K::String, S::One, REQUIRED, 0), // type
    f(2, 3821, 6, K::String, S::One, REQUIRED, 0), // status
    f(3, 6454, 14, K::Time, S::One, REQUIRED, 0), // lastUpdateTime
    f(4, 10838, 6, K::String, S::One, SKIP_ZERO, 0), // reason
    f(5, 4217, 7, K::String, S::One, SKIP_ZERO, 0), // message
    // 725 storagemigration/v1alpha1.StorageVersionMigration
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 5346, 4, K::Message, S::One, REQUIRED, 727), // spec
    f(3, 3821, 6, K::Message, S::One, REQUIRED, 728), // status
    // 726 storagemigration/v1alpha1.StorageVersionMigrationList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 725), // items
    // 727 storagemigration/v1alpha1.StorageVersionMigrationSpec
    f(1, 460, 8, K::Message, S::One, REQUIRED, 723), // resource
    f(2, 6909, 13, K::String, S::One, SKIP_ZERO, 0), // continueToken
    // 728 storagemigration/v1alpha1.StorageVersionMigrationStatus
    f(1, 7263, 10, K::Message, S::Repeated, NULLABLE, 724), // conditions
    f(2, 2804, 15, K::String, S::One, SKIP_ZERO, 0), // resourceVersion
    // 729 apiextensions/v1.ConversionRequest
    f(1, 11139, 3, K::String, S::One, REQUIRED, 0), // uid
    f(2, 4081, 17, K::String, S::One, REQUIRED, 0), // desiredAPIVersion
    f(3, 10486, 7, K::Raw, S::Repeated, REQUIRED | NULLABLE, 0), // objects
    // 730 apiextensions/v1.ConversionResponse
    f(1, 11139, 3, K::String, S::One, REQUIRED, 0), // uid
    f(2, 4738, 16, K::Raw, S::Repeated, REQUIRED | NULLABLE, 0), // convertedObjects
    f(3, 10549, 6, K::Message, S::One, REQUIRED, 777), // result
    // 731 apiextensions/v1.ConversionReview
    f(1, 3713, 7, K::Message, S::One, NULLABLE, 729), // request
    f(2, 7757, 8, K::Message, S::One, NULLABLE, 730), // response
    // 732 apiextensions/v1.CustomResourceColumnDefinition
    f(1, 4251, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 2085, 4, K::String, S::One, REQUIRED, 0), // type
    f(3, 10724, 6, K::String, S::One, SKIP_ZERO, 0), // format
    f(4, 8251, 11, K::String, S::One, SKIP_ZERO, 0), // description
    f(5, 855, 8, K::Int, S::One, SKIP_ZERO, 0), // priority
    f(6, 9934, 8, K::String, S::One, REQUIRED, 0), // jsonPath
    // 733 apiextensions/v1.CustomResourceConversion
    f(1, 10190, 8, K::String, S::One, REQUIRED, 0), // strategy
    f(2, 10254, 7, K::Message, S::One, NULLABLE, 751), // webhook
    // 734 apiextensions/v1.CustomResourceDefinition
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 5346, 4, K::Message, S::One, REQUIRED, 738), // spec
    f(3, 3821, 6, K::Message, S::One, REQUIRED, 739), // status
    // 735 apiextensions/v1.CustomResourceDefinitionCondition
    f(1, 2085, 4, K::String, S::One, REQUIRED, 0), // type
    f(2, 3821, 6, K::String, S::One, REQUIRED, 0), // status
    f(3, 3515, 18, K::Time, S::One, REQUIRED, 0), // lastTransitionTime
    f(4, 10838, 6, K::String, S::One, SKIP_ZERO, 0), // reason
    f(5, 4217, 7, K::String, S::One, SKIP_ZERO, 0), // message
    f(6, 3623, 18, K::Int, S::One, SKIP_ZERO, 0), // observedGeneration
    // 736 apiextensions/v1.CustomResourceDefinitionList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 734), // items
    // 737 apiextensions/v1.CustomResourceDefinitionNames
    f(1, 10808, 6, K::String, S::One, REQUIRED, 0), // plural
    f(2, 5330, 8, K::String, S::One, SKIP_ZERO, 0), // singular
    f(3, 9060, 10, K::String, S::Repeated, NULLABLE, 0), // shortNames
    f(4, 11083, 4, K::String, S::One, REQUIRED, 0), // kind
    f(5, 9942, 8, K::String, S::One, SKIP_ZERO, 0), // listKind
    f(6, 8700, 10, K::String, S::Repeated, NULLABLE, 0), // categories
    // 738 apiextensions/v1.CustomResourceDefinitionSpec
    f(1, 2624, 5, K::String, S::One, REQUIRED, 0), // group
    f(3, 4251, 5, K::Message, S::One, REQUIRED, 737), // names
    f(4, 7377, 5, K::String, S::One, REQUIRED, 0), // scope
    f(7, 10230, 8, K::Message, S::Repeated, REQUIRED | NULLABLE, 740), // versions
    f(9, 1356, 10, K::Message, S::One, NULLABLE, 733), // conversion
    f(10, 2278, 21, K::Bool, S::One, SKIP_ZERO, 0), // preserveUnknownFields
    // 739 apiextensions/v1.CustomResourceDefinitionStatus
    f(1, 7263, 10, K::Message, S::Repeated, REQUIRED | NULLABLE, 735), // conditions
    f(2, 6818, 13, K::Message, S::One, REQUIRED, 737), // acceptedNames
    f(3, 6706, 14, K::String, S::Repeated, REQUIRED | NULLABLE, 0), // storedVersions
    f(4, 3623, 18, K::Int, S::One, SKIP_ZERO, 0), // observedGeneration
    // 740 apiextensions/v1.CustomResourceDefinitionVersion
    f(1, 4251, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 3625, 6, K::Bool, S::One, REQUIRED, 0), // served
    f(3, 3839, 7, K::Bool, S::One, REQUIRED, 0), // storage
    f(4, 10263, 6, K::Message, S::One, NULLABLE, 743), // schema
    f(5, 7865, 12, K::Message, S::One, NULLABLE, 742), // subresources
    f(6, 1212, 24, K::Message, S::Repeated, NULLABLE, 732), // additionalPrinterColumns
    f(7, 1380, 10, K::Bool, S::One, SKIP_ZERO, 0), // deprecated
    f(8, 3371, 18, K::String, S::One, NULLABLE, 0), // deprecationWarning
    f(9, 5298, 16, K::Message, S::Repeated, NULLABLE, 749), // selectableFields
    // 741 apiextensions/v1.CustomResourceSubresourceScale
    f(1, 5346, 16, K::String, S::One, REQUIRED, 0), // specReplicasPath
    f(2, 3821, 18, K::String, S::One, REQUIRED, 0), // statusReplicasPath
    f(3, 4149, 17, K::String, S::One, NULLABLE, 0), // labelSelectorPath
    // 742 apiextensions/v1.CustomResourceSubresources
    f(1, 3821, 6, K::Message, S::One, NULLABLE, 52), // status
    f(2, 6636, 5, K::Message, S::One, NULLABLE, 741), // scale
    // 743 apiextensions/v1.CustomResourceValidation
    f(1, 5786, 15, K::Message, S::One, NULLABLE, 745), // openAPIV3Schema
    // 744 apiextensions/v1.ExternalDocumentation
    f(1, 8251, 11, K::String, S::One, SKIP_ZERO, 0), // description
    f(2, 11142, 3, K::String, S::One, SKIP_ZERO, 0), // url
    // 745 apiextensions/v1.JSONSchemaProps
    f(1, 1564, 2, K::String, S::One, SKIP_ZERO, 0), // id
    f(2, 10262, 7, K::String, S::One, SKIP_ZERO, 0), // $schema
    f(3, 11047, 4, K::String, S::One, NULLABLE, 0), // $ref
    f(4, 8251, 11, K::String, S::One, SKIP_ZERO, 0), // description
    f(5, 2085, 4, K::String, S::One, SKIP_ZERO, 0), // type
    f(6, 10724, 6, K::String, S::One, SKIP_ZERO, 0), // format
    f(7, 11027, 5, K::String, S::One, SKIP_ZERO, 0), // title
    f(8, 497, 7, K::Raw, S::One, NULLABLE, 0), // default
    f(9, 4200, 7, K::Double, S::One, NULLABLE, 0), // maximum
    f(10, 4818, 16, K::Bool, S::One, SKIP_ZERO, 0), // exclusiveMaximum
    f(11, 10472, 7, K::Double, S::One, NULLABLE, 0), // minimum
    f(12, 4834, 16, K::Bool, S::One, SKIP_ZERO, 0), // exclusiveMinimum
    f(13, 9425, 9, K::Int, S::One, NULLABLE, 0), // maxLength
    f(14, 9434, 9, K::Int, S::One, NULLABLE, 0), // minLength
    f(15, 4336, 7, K::String, S::One, SKIP_ZERO, 0), // pattern
    f(16, 9950, 8, K::Int, S::One, NULLABLE, 0), // maxItems
    f(17, 9982, 8, K::Int, S::One, NULLABLE, 0), // minItems
    f(18, 8636, 11, K::Bool, S::One, SKIP_ZERO, 0), // uniqueItems
    f(19, 8880, 10, K::Double, S::One, NULLABLE, 0), // multipleOf
    f(20, 11063, 4, K::Raw, S::Repeated, NULLABLE, 0), // enum
    f(21, 7195, 13, K::Int, S::One, NULLABLE, 0), // maxProperties
    f(22, 7221, 13, K::Int, S::One, NULLABLE, 0), // minProperties
    f(23, 95, 8, K::String, S::Repeated, NULLABLE, 0), // required
    f(24, 10967, 5, K::SchemaOrArray, S::One, NULLABLE, 746), // items
    f(25, 10922, 5, K::Message, S::Repeated, NULLABLE, 745), // allOf
    f(26, 10982, 5, K::Message, S::Repeated, NULLABLE, 745), // oneOf
    f(27, 10927, 5, K::Message, S::Repeated, NULLABLE, 745), // anyOf
    f(28, 1178, 3, K::Message, S::One, NULLABLE, 745), // not
    f(29, 8960, 10, K::Message, S::Map, NULLABLE, 745), // properties
    f(30, 2404, 20, K::SchemaOrBool, S::One, NULLABLE, 747), // additionalProperties
    f(31, 4336, 17, K::Message, S::Map, NULLABLE, 745), // patternProperties
    f(32, 7577, 12, K::SchemaOrArray, S::Map, NULLABLE, 748), // dependencies
    f(33, 5426, 15, K::SchemaOrBool, S::One, NULLABLE, 747), // additionalItems
    f(34, 8240, 11, K::Message, S::Map, NULLABLE, 745), // definitions
    f(35, 7601, 12, K::Message, S::One, NULLABLE, 744), // externalDocs
    f(36, 10339, 7, K::Raw, S::One, NULLABLE, 0), // example
    f(37, 10030, 8, K::Bool, S::One, SKIP_ZERO, 0), // nullable
    f(38, 213, 36, K::Bool, S::One, NULLABLE, 0), // x-kubernetes-preserve-unknown-fields
    f(39, 438, 30, K::Bool, S::One, SKIP_ZERO, 0), // x-kubernetes-embedded-resource
    f(40, 985, 26, K::Bool, S::One, SKIP_ZERO, 0), // x-kubernetes-int-or-string
    f(41, 1011, 26, K::String, S::Repeated, NULLABLE, 0), // x-kubernetes-list-map-keys
    f(42, 2067, 22, K::String, S::One, NULLABLE, 0), // x-kubernetes-list-type
    f(43, 2383, 21, K::String, S::One, NULLABLE, 0), // x-kubernetes-map-type
    f(44, 1548, 24, K::Message, S::Repeated, NULLABLE, 750), // x-kubernetes-validations
    // 746 apiextensions/v1.JSONSchemaPropsOrArray
    f(1, 5795, 6, K::Message, S::One, REQUIRED | NULLABLE, 745), // Schema
    f(2, 8009, 11, K::Message, S::Repeated, REQUIRED | NULLABLE, 745), // JSONSchemas
    // 747 apiextensions/v1.JSONSchemaPropsOrBool
    f(1, 10640, 6, K::Bool, S::One, REQUIRED, 0), // Allows
    f(2, 5795, 6, K::Message, S::One, REQUIRED | NULLABLE, 745), // Schema
    // 748 apiextensions/v1.JSONSchemaPropsOrStringArray
    f(1, 5795, 6, K::Message, S::One, REQUIRED | NULLABLE, 745), // Schema
    f(2, 9758, 8, K::String, S::Repeated, REQUIRED | NULLABLE, 0), // Property
    // 749 apiextensions/v1.SelectableField
    f(1, 9934, 8, K::String, S::One, REQUIRED, 0), // jsonPath
    // 750 apiextensions/v1.ValidationRule
    f(1, 11012, 4, K::String, S::One, REQUIRED, 0), // rule
    f(2, 4217, 7, K::String, S::One, SKIP_ZERO, 0), // message
    f(3, 4217, 17, K::String, S::One, SKIP_ZERO, 0), // messageExpression
    f(4, 10838, 6, K::String, S::One, NULLABLE, 0), // reason
    f(5, 9317, 9, K::String, S::One, SKIP_ZERO, 0), // fieldPath
    f(6, 5816, 15, K::Bool, S::One, NULLABLE, 0), // optionalOldSelf
    // 751 apiextensions/v1.WebhookConversion
    f(2, 7529, 12, K::Message, S::One, NULLABLE, 36), // clientConfig
    f(3, 1356, 24, K::String, S::Repeated, REQUIRED | NULLABLE, 0), // conversionReviewVersions
    // 752 meta/v1.APIGroup
    f(1, 4251, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 10230, 8, K::Message, S::Repeated, REQUIRED | NULLABLE, 762), // versions
    f(3, 5202, 16, K::Message, S::One, REQUIRED, 762), // preferredVersion
    f(4, 881, 26, K::Message, S::Repeated, NULLABLE, 775), // serverAddressByClientCIDRs
    // 753 meta/v1.APIGroupList
    f(1, 10736, 6, K::Message, S::Repeated, REQUIRED | NULLABLE, 752), // groups
    // 754 meta/v1.APIResource
    f(1, 4251, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 8890, 10, K::Bool, S::One, REQUIRED, 0), // namespaced
    f(3, 11083, 4, K::String, S::One, REQUIRED, 0), // kind
    f(4, 11032, 5, K::Items, S::One, REQUIRED | NULLABLE, 92), // verbs
    f(5, 9060, 10, K::String, S::Repeated, NULLABLE, 0), // shortNames
    f(6, 7841, 12, K::String, S::One, REQUIRED, 0), // singularName
    f(7, 8700, 10, K::String, S::Repeated, NULLABLE, 0), // categories
    f(8, 2624, 5, K::String, S::One, SKIP_ZERO, 0), // group
    f(9, 1359, 7, K::String, S::One, SKIP_ZERO, 0), // version
    f(10, 3839, 18, K::String, S::One, SKIP_ZERO, 0), // storageVersionHash
    // 755 meta/v1.APIResourceList
    f(1, 7649, 12, K::String, S::One, REQUIRED, 0), // groupVersion
    f(2, 7868, 9, K::Message, S::Repeated, REQUIRED | NULLABLE, 754), // resources
    // 756 meta/v1.APIVersions
    f(1, 10230, 8, K::String, S::Repeated, REQUIRED | NULLABLE, 0), // versions
    f(2, 881, 26, K::Message, S::Repeated, REQUIRED | NULLABLE, 775), // serverAddressByClientCIDRs
    // 757 meta/v1.Condition
    f(1, 2085, 4, K::String, S::One, REQUIRED, 0), // type
    f(2, 3821, 6, K::String, S::One, REQUIRED, 0), // status
    f(3, 3623, 18, K::Int, S::One, SKIP_ZERO, 0), // observedGeneration
    f(4, 3515, 18, K::Time, S::One, REQUIRED, 0), // lastTransitionTime
    f(5, 10838, 6, K::String, S::One, REQUIRED, 0), // reason
    f(6, 4217, 7, K::String, S::One, REQUIRED, 0), // message
    // 758 meta/v1.CreateOptions
    f(1, 10688, 6, K::String, S::Repeated, NULLABLE, 0), // dryRun
    f(3, 7625, 12, K::String, S::One, SKIP_ZERO, 0), // fieldManager
    f(4, 5636, 15, K::String, S::One, SKIP_ZERO, 0), // fieldValidation
    // 759 meta/v1.DeleteOptions
    f(1, 3479, 18, K::Int, S::One, NULLABLE, 0), // gracePeriodSeconds
    f(2, 7260, 13, K::Message, S::One, NULLABLE, 774), // preconditions
    f(3, 5138, 16, K::Bool, S::One, NULLABLE, 0), // orphanDependents
    f(4, 4404, 17, K::String, S::One, NULLABLE, 0), // propagationPolicy
    f(5, 10688, 6, K::String, S::Repeated, NULLABLE, 0), // dryRun
    f(6, 0, 48, K::Bool, S::One, NULLABLE, 0), // ignoreStoreReadErrorWithClusterBreakingPotential
    // 760 meta/v1.GetOptions
    f(1, 2804, 15, K::String, S::One, SKIP_ZERO, 0), // resourceVersion
    // 761 meta/v1.GroupResource
    f(1, 2624, 5, K::String, S::One, REQUIRED, 0), // group
    f(2, 460, 8, K::String, S::One, REQUIRED, 0), // resource
    // 762 meta/v1.GroupVersionForDiscovery
    f(1, 7649, 12, K::String, S::One, REQUIRED, 0), // groupVersion
    f(2, 1359, 7, K::String, S::One, REQUIRED, 0), // version
    // 763 meta/v1.GroupVersionKind
    f(1, 2624, 5, K::String, S::One, REQUIRED, 0), // group
    f(2, 1359, 7, K::String, S::One, REQUIRED, 0), // version
    f(3, 11083, 4, K::String, S::One, REQUIRED, 0), // kind
    // 764 meta/v1.GroupVersionResource
    f(1, 2624, 5, K::String, S::One, REQUIRED, 0), // group
    f(2, 1359, 7, K::String, S::One, REQUIRED, 0), // version
    f(3, 460, 8, K::String, S::One, REQUIRED, 0), // resource
    // 765 meta/v1.LabelSelector
    f(1, 8361, 11, K::String, S::Map, NULLABLE, 0), // matchLabels
    f(2, 5058, 16, K::Message, S::Repeated, NULLABLE, 308), // matchExpressions
    // 766 meta/v1.ListMeta
    f(1, 10182, 8, K::String, S::One, SKIP_ZERO, 0), // selfLink
    f(2, 2804, 15, K::String, S::One, SKIP_ZERO, 0), // resourceVersion
    f(3, 6909, 8, K::String, S::One, SKIP_ZERO, 0), // continue
    f(4, 3677, 18, K::Int, S::One, NULLABLE, 0), // remainingItemCount
    f(5, 9605, 9, K::Message, S::One, NULLABLE, 776), // shardInfo
    // 767 meta/v1.ListOptions
    f(1, 4149, 13, K::String, S::One, SKIP_ZERO, 0), // labelSelector
    f(2, 7000, 13, K::String, S::One, SKIP_ZERO, 0), // fieldSelector
    f(3, 11037, 5, K::Bool, S::One, SKIP_ZERO, 0), // watch
    f(4, 2804, 15, K::String, S::One, SKIP_ZERO, 0), // resourceVersion
    f(5, 6748, 14, K::Int, S::One, NULLABLE, 0), // timeoutSeconds
    f(7, 7156, 5, K::Int, S::One, SKIP_ZERO, 0), // limit
    f(8, 6909, 8, K::String, S::One, SKIP_ZERO, 0), // continue
    f(9, 2903, 19, K::Bool, S::One, SKIP_ZERO, 0), // allowWatchBookmarks
    f(10, 2804, 20, K::String, S::One, SKIP_ZERO, 0), // resourceVersionMatch
    f(11, 4489, 17, K::Bool, S::One, NULLABLE, 0), // sendInitialEvents
    f(15, 7390, 13, K::String, S::One, SKIP_ZERO, 0), // shardSelector
    // 768 meta/v1.ManagedFieldsEntry
    f(1, 10444, 7, K::String, S::One, SKIP_ZERO, 0), // manager
    f(2, 8910, 9, K::String, S::One, SKIP_ZERO, 0), // operation
    f(3, 8097, 10, K::String, S::One, SKIP_ZERO, 0), // apiVersion
    f(4, 1607, 4, K::Time, S::One, NULLABLE, 0), // time
    f(6, 8780, 10, K::String, S::One, SKIP_ZERO, 0), // fieldsType
    f(7, 9878, 8, K::Raw, S::One, NULLABLE, 0), // fieldsV1
    f(8, 7865, 11, K::String, S::One, SKIP_ZERO, 0), // subresource
    // 769 meta/v1.ObjectMeta
    f(1, 4251, 4, K::String, S::One, SKIP_ZERO, 0), // name
    f(2, 7637, 12, K::String, S::One, SKIP_ZERO, 0), // generateName
    f(3, 4251, 9, K::String, S::One, SKIP_ZERO, 0), // namespace
    f(4, 10182, 8, K::String, S::One, SKIP_ZERO, 0), // selfLink
    f(5, 11139, 3, K::String, S::One, SKIP_ZERO, 0), // uid
    f(6, 2804, 15, K::String, S::One, SKIP_ZERO, 0), // resourceVersion
    f(7, 8830, 10, K::Int, S::One, SKIP_ZERO, 0), // generation
    f(8, 4013, 17, K::Time, S::One, SKIP_ZERO, 0), // creationTimestamp
    f(9, 4047, 17, K::Time, S::One, NULLABLE, 0), // deletionTimestamp
    f(10, 803, 26, K::Int, S::One, NULLABLE, 0), // deletionGracePeriodSeconds
    f(11, 10760, 6, K::String, S::Map, NULLABLE, 0), // labels
    f(12, 8075, 11, K::String, S::Map, NULLABLE, 0), // annotations
    f(13, 5831, 15, K::Message, S::Repeated, NULLABLE, 770), // ownerReferences
    f(14, 8800, 10, K::String, S::Repeated, NULLABLE, 0), // finalizers
    f(17, 7182, 13, K::Message, S::Repeated, NULLABLE, 768), // managedFields
    // 770 meta/v1.OwnerReference
    f(1, 11083, 4, K::String, S::One, REQUIRED, 0), // kind
    f(3, 4251, 4, K::String, S::One, REQUIRED, 0), // name
    f(4, 11139, 3, K::String, S::One, REQUIRED, 0), // uid
    f(5, 8097, 10, K::String, S::One, REQUIRED, 0), // apiVersion
    f(6, 777, 10, K::Bool, S::One, NULLABLE, 0), // controller
    f(7, 3299, 18, K::Bool, S::One, NULLABLE, 0), // blockOwnerDeletion
    // 771 meta/v1.PartialObjectMetadata
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    // 772 meta/v1.PartialObjectMetadataList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 771), // items
    // 773 meta/v1.PatchOptions
    f(1, 10688, 6, K::String, S::Repeated, NULLABLE, 0), // dryRun
    f(2, 10952, 5, K::Bool, S::One, NULLABLE, 0), // force
    f(3, 7625, 12, K::String, S::One, SKIP_ZERO, 0), // fieldManager
    f(4, 5636, 15, K::String, S::One, SKIP_ZERO, 0), // fieldValidation
    // 774 meta/v1.Preconditions
    f(1, 11139, 3, K::String, S::One, NULLABLE, 0), // uid
    f(2, 2804, 15, K::String, S::One, NULLABLE, 0), // resourceVersion
    // 775 meta/v1.ServerAddressByClientCIDR
    f(1, 8710, 10, K::String, S::One, REQUIRED, 0), // clientCIDR
    f(2, 881, 13, K::String, S::One, REQUIRED, 0), // serverAddress
    // 776 meta/v1.ShardInfo
    f(1, 9596, 8, K::String, S::One, REQUIRED, 0), // selector
    // 777 meta/v1.Status
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 3821, 6, K::String, S::One, SKIP_ZERO, 0), // status
    f(3, 4217, 7, K::String, S::One, SKIP_ZERO, 0), // message
    f(4, 10838, 6, K::String, S::One, SKIP_ZERO, 0), // reason
    f(5, 10283, 7, K::Message, S::One, NULLABLE, 779), // details
    f(6, 11055, 4, K::Int, S::One, SKIP_ZERO, 0), // code
    // 778 meta/v1.StatusCause
    f(1, 10838, 6, K::String, S::One, SKIP_ZERO, 0), // reason
    f(2, 4217, 7, K::String, S::One, SKIP_ZERO, 0), // message
    f(3, 243, 5, K::String, S::One, SKIP_ZERO, 0), // field
    // 779 meta/v1.StatusDetails
    f(1, 4251, 4, K::String, S::One, SKIP_ZERO, 0), // name
    f(2, 2624, 5, K::String, S::One, SKIP_ZERO, 0), // group
    f(3, 11083, 4, K::String, S::One, SKIP_ZERO, 0), // kind
    f(4, 10658, 6, K::Message, S::Repeated, NULLABLE, 778), // causes
    f(5, 4472, 17, K::Int, S::One, SKIP_ZERO, 0), // retryAfterSeconds
    f(6, 11139, 3, K::String, S::One, SKIP_ZERO, 0), // uid
    // 780 meta/v1.TableOptions
    f(1, 7052, 13, K::String, S::One, SKIP_ZERO, 0), // includeObject
    // 781 meta/v1.UpdateOptions
    f(1, 10688, 6, K::String, S::Repeated, NULLABLE, 0), // dryRun
    f(2, 7625, 12, K::String, S::One, SKIP_ZERO, 0), // fieldManager
    f(3, 5636, 15, K::String, S::One, SKIP_ZERO, 0), // fieldValidation
    // 782 meta/v1.WatchEvent
    f(1, 2085, 4, K::String, S::One, REQUIRED, 0), // type
    f(2, 6538, 6, K::Raw, S::One, REQUIRED, 0), // object
    // 783 apiregistration/v1.APIService
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 769), // metadata
    f(2, 5346, 4, K::Message, S::One, REQUIRED, 785), // spec
    f(3, 3821, 6, K::Message, S::One, REQUIRED, 786), // status
    // 784 apiregistration/v1.APIServiceList
    f(1, 9966, 8, K::Message, S::One, REQUIRED, 766), // metadata
    f(2, 10967, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 783), // items
    // 785 apiregistration/v1.APIServiceSpec
    f(1, 669, 7, K::Message, S::One, NULLABLE, 787), // service
    f(2, 2624, 5, K::String, S::One, SKIP_ZERO, 0), // group
    f(3, 1359, 7, K::String, S::One, SKIP_ZERO, 0), // version
    f(4, 641, 21, K::Bool, S::One, SKIP_ZERO, 0), // insecureSkipTLSVerify
    f(5, 9814, 8, K::Bytes, S::One, SKIP_ZERO | NULLABLE, 0), // caBundle
    f(7, 2624, 20, K::Int, S::One, REQUIRED, 0), // groupPriorityMinimum
    f(8, 6101, 15, K::Int, S::One, REQUIRED, 0), // versionPriority
    // 786 apiregistration/v1.APIServiceStatus
    f(1, 7263, 10, K::Message, S::Repeated, NULLABLE, 57), // conditions
    // 787 apiregistration/v1.ServiceReference
    f(1, 4251, 9, K::String, S::One, SKIP_ZERO, 0), // namespace
    f(2, 4251, 4, K::String, S::One, SKIP_ZERO, 0), // name
    f(3, 3133, 4, K::Int, S::One, NULLABLE, 0), // port
];
